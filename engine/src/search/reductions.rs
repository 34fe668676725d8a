//! Late-move reductions: moves that come late are searched less deeply at first.

use super::node::Node;
use super::params as p;
use super::searcher::Searcher;

/// A move as pruning and reductions see it.
pub(super) struct Late {
    /// Its number in the order of trying, from 1.
    pub count: usize,
    pub noisy: bool,
    /// What the histories say about it.
    pub history: i32,
    /// A killer or counter move.
    pub refutation: bool,
    /// A capture that loses material.
    pub bad: bool,
}

impl<const N: usize> Searcher<'_, N> {
    /// By how many plies a move is searched less deeply.
    pub(super) fn reduction(&self, node: &Node<N>, late: &Late, gives_check: bool) -> i32 {
        let first = p::reduction_moves() + i32::from(node.pv);
        if !self.options.reductions
            || node.depth < p::reduction_depth()
            || late.count as i32 <= first
            || node.check
            || late.noisy
        {
            return 0;
        }
        let mut r = base(node.depth, late.count);
        r -= i32::from(gives_check) * p::reduction_check();
        r += i32::from(!node.improving) * p::reduction_not_improving();
        r -= i32::from(node.pv) * p::reduction_pv();
        r -= i32::from(node.tt_pv && !node.pv) * p::reduction_tt_pv();
        r += i32::from(node.cut) * p::reduction_cut();
        r += i32::from(node.table_noisy) * p::reduction_table_noisy();
        r -= i32::from(late.refutation) * p::reduction_refutation();
        r += i32::from(self.plies[node.ply + 1].cutoffs > 3) * p::reduction_cutoffs();
        r -= late.history * 1024 / p::history_per_ply();
        (r / 1024).clamp(0, node.depth - 2)
    }

    /// The same for the root's move number `count`.
    pub(super) fn root_reduction(&self, depth: i32, count: usize, gives_check: bool) -> i32 {
        if !self.options.reductions
            || depth < p::reduction_depth()
            || count as i32 <= p::root_reduction_moves()
            || gives_check
        {
            return 0;
        }
        let r = base(depth, count) * p::root_reduction() / 100;
        (r / 1024).clamp(0, depth - 2)
    }
}

/// Reduction by depth and number of the move, in 1024ths: `base + ln(depth) ln(count) / divisor`.
pub(super) fn base(depth: i32, count: usize) -> i32 {
    let log = |n: usize| LOGS[n.min(LOGS.len() - 1)];
    // 0.4805 = ln(2)^2; the logarithms are 256ths, the divisor hundredths.
    let product = log(depth.max(1) as usize) * log(count) / 64;
    p::reduction_base() + product * 48 / p::reduction_divisor()
}

/// Logarithms to the base 2 in 256ths.
const LOGS: [i32; 256] = {
    let mut logs = [0; 256];
    let mut n = 1;
    while n < logs.len() {
        logs[n] = log2(n as u32);
        n += 1;
    }
    logs
};

/// Logarithm to the base 2 in 256ths.
const fn log2(n: u32) -> i32 {
    let whole = n.ilog2();
    let mut fraction = 0;
    // The mantissa as 16.16; squaring it doubles the logarithm.
    let mut m = ((n as u64) << 16) >> whole;
    let mut bit = 8;
    while bit > 0 {
        bit -= 1;
        m = (m * m) >> 16;
        if m >= 2 << 16 {
            m >>= 1;
            fraction |= 1 << bit;
        }
    }
    (whole as i32) * 256 + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_those_of_mathematics() {
        for (n, &log) in LOGS.iter().enumerate().skip(1) {
            let exact = (n as f64).log2() * 256.0;
            assert!((f64::from(log) - exact).abs() <= 1.01, "{n}");
        }
    }
}
