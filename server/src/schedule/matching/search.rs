//! The search of a matching: trees of alternating paths, and the duals that decide which edges they may use.

use super::weight::Weight;

/// No vertex, no blossom.
pub(super) const NONE: usize = usize::MAX;

/// What a vertex or outermost blossom is in the trees grown from unmatched vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    /// In no tree yet.
    Free,
    /// At an even distance from its root: reached by an edge of the matching, or a root.
    Outer,
    /// At an odd distance from its root.
    Inner,
}

/// An edge, by its two vertices.
pub(super) type Edge = (usize, usize);

/// A matching that grows. *Nodes* are vertices, numbered below n, and blossoms, from n on.
///
/// Between the duals y of vertices and z of blossoms, all edges keep a slack y_u + y_v + 2 (sum of z_b over the
/// blossoms that hold both) + 2 weight of at least 0, and edges of the matching have none. Weights are stored
/// twofold and duals start even, so that all changes of duals are whole numbers.
pub(super) struct Search<W> {
    pub n: usize,
    /// Twice the weight of each edge, row by row; absent where there is none.
    pub weights: Vec<W>,
    /// Partner of each vertex.
    pub mate: Vec<usize>,
    /// Dual of each node.
    pub dual: Vec<W>,
    /// Outermost blossom around each vertex, or itself.
    pub top: Vec<usize>,
    /// Next blossom around each node.
    pub parent: Vec<usize>,
    /// Nodes of each blossom around its ring, beginning with that of its base.
    pub children: Vec<Vec<usize>>,
    /// Edge k of a blossom leads from a vertex of child k to one of child k + 1.
    pub ring: Vec<Vec<Edge>>,
    /// The vertex of each node that is not matched inside it.
    pub base: Vec<usize>,
    /// Blossoms that are not in use.
    pub unused: Vec<usize>,
    /// Label of each outermost node.
    pub label: Vec<Label>,
    /// Edge by which each outermost node was labelled, its own vertex last; `None` for roots.
    pub from: Vec<Option<Edge>>,
    /// Edge without slack from an outer node to this vertex of an inner one.
    pub reached: Vec<Option<Edge>>,
    /// Of a vertex that is not outer: its edge of least slack from an outer one. Of an outer node: to another outer one.
    pub best: Vec<Option<Edge>>,
    /// Of an outer blossom made in this stage: its edge of least slack to each other outer node.
    pub best_to: Vec<Option<Vec<Edge>>>,
    /// Outer vertices whose edges are to be looked at.
    pub queue: Vec<usize>,
    /// Nodes passed on the way to a common root.
    pub marked: Vec<bool>,
}

/// What stops the growth of trees until duals change.
enum Limit {
    /// An edge from an outer to a free node.
    Grow(Edge),
    /// An edge between outer nodes.
    Join(Edge),
    /// An inner blossom without dual left.
    Open(usize),
}

impl<W: Weight> Search<W> {
    pub fn new(n: usize, weight: impl Fn(usize, usize) -> Option<W>) -> Self {
        let mut weights = vec![W::ABSENT; n * n];
        for u in 0..n {
            for v in u + 1..n {
                let twofold = weight(u, v).map_or(W::ABSENT, |weight| weight + weight);
                weights[u * n + v] = twofold;
                weights[v * n + u] = twofold;
            }
        }
        let nodes = 2 * n;
        let mut search = Self {
            n,
            weights,
            mate: vec![NONE; n],
            dual: vec![W::ZERO; nodes],
            top: (0..n).collect(),
            parent: vec![NONE; nodes],
            children: vec![Vec::new(); nodes],
            ring: vec![Vec::new(); nodes],
            base: (0..nodes).collect(),
            unused: (n..nodes).rev().collect(),
            label: vec![Label::Free; nodes],
            from: vec![None; nodes],
            reached: vec![None; n],
            best: vec![None; nodes],
            best_to: vec![None; nodes],
            queue: Vec::new(),
            marked: vec![false; nodes],
        };
        search.begin();
        search
    }

    /// Duals as large as each vertex's lightest edge demands, and whatever can be matched at once.
    fn begin(&mut self) {
        for v in 0..self.n {
            let row = &self.weights[v * self.n..][..self.n];
            let lightest = row.iter().copied().min().unwrap_or(W::ABSENT);
            if lightest != W::ABSENT {
                self.dual[v] = -lightest;
            }
        }
        for u in 0..self.n {
            let fits = |&v: &usize| {
                self.mate[v] == NONE && self.slack(u, v).is_some_and(|slack| slack == W::ZERO)
            };
            if self.mate[u] != NONE {
                continue;
            }
            if let Some(v) = (u + 1..self.n).find(fits) {
                (self.mate[u], self.mate[v]) = (v, u);
            }
        }
    }

    /// Slack of the edge between vertices of different outermost nodes; `None` where there is no edge.
    #[inline]
    pub fn slack(&self, u: usize, v: usize) -> Option<W> {
        let weight = self.weights[u * self.n + v];
        (weight != W::ABSENT).then(|| self.dual[u] + self.dual[v] + weight + weight)
    }

    /// Slack of an edge that was found before.
    pub fn slack_of(&self, (u, v): Edge) -> W {
        self.slack(u, v).unwrap_or(W::ZERO)
    }

    /// Matches two more vertices; `false` if that cannot be.
    pub fn augment(&mut self) -> bool {
        self.plant();
        loop {
            while let Some(u) = self.queue.pop() {
                if self.look_around(u) {
                    return true;
                }
            }
            let Some((limit, change)) = self.next_limit() else {
                return false;
            };
            self.change_duals(change);
            match limit {
                Limit::Open(blossom) => self.open_inner(blossom),
                Limit::Grow(edge) | Limit::Join(edge) => {
                    if self.use_edge(edge) {
                        return true;
                    }
                }
            }
        }
    }

    /// Makes a root of every unmatched vertex.
    fn plant(&mut self) {
        self.label.fill(Label::Free);
        self.from.fill(None);
        self.reached.fill(None);
        self.best.fill(None);
        self.best_to.fill(None);
        self.queue.clear();
        for v in 0..self.n {
            if self.mate[v] == NONE {
                self.label_outer(v, None);
            }
        }
    }

    /// Labels the outermost node of `v` outer.
    pub fn label_outer(&mut self, v: usize, from: Option<Edge>) {
        let node = self.top[v];
        self.label[node] = Label::Outer;
        self.from[node] = from;
        self.best[node] = None;
        let mut queue = std::mem::take(&mut self.queue);
        self.for_each_vertex(node, |vertex| queue.push(vertex));
        self.queue = queue;
    }

    /// Labels the outermost node at the far end of an edge inner, and what its base is matched to outer.
    pub fn label_inner(&mut self, edge: Edge) {
        let node = self.top[edge.1];
        self.label[node] = Label::Inner;
        self.from[node] = Some(edge);
        self.reached[edge.1] = Some(edge);
        let base = self.base[node];
        let partner = self.mate[base];
        self.label_outer(partner, Some((base, partner)));
    }

    /// Looks at all edges of an outer vertex; `true` if the matching grew.
    fn look_around(&mut self, u: usize) -> bool {
        for v in 0..self.n {
            let (own, other) = (self.top[u], self.top[v]);
            if own == other {
                continue;
            }
            let Some(slack) = self.slack(u, v) else {
                continue;
            };
            if slack == W::ZERO {
                if self.use_edge((u, v)) {
                    return true;
                }
                continue;
            }
            let place = match self.label[other] {
                Label::Outer => own,
                _ if self.reached[v].is_some() => continue,
                _ => v,
            };
            if self.best[place].is_none_or(|best| slack < self.slack_of(best)) {
                self.best[place] = Some((u, v));
            }
        }
        false
    }

    /// Follows an edge without slack from an outer vertex; `true` if the matching grew.
    fn use_edge(&mut self, edge: Edge) -> bool {
        let (u, v) = edge;
        match self.label[self.top[v]] {
            Label::Free => self.label_inner(edge),
            Label::Inner => {
                self.reached[v].get_or_insert(edge);
            }
            Label::Outer => match self.common_root(u, v) {
                Some(base) => self.close(base, edge),
                None => {
                    self.flip(edge);
                    return true;
                }
            },
        }
        false
    }

    /// The base of the blossom that an edge between outer nodes closes; `None` if it joins two trees.
    fn common_root(&mut self, u: usize, v: usize) -> Option<usize> {
        let (mut here, mut there) = (u, v);
        let mut passed = Vec::new();
        let mut found = None;
        while here != NONE {
            let node = self.top[here];
            if self.marked[node] {
                found = Some(self.base[node]);
                break;
            }
            self.marked[node] = true;
            passed.push(node);
            here = self.two_up(node);
            if there != NONE {
                (here, there) = (there, here);
            }
        }
        passed.iter().for_each(|&node| self.marked[node] = false);
        found
    }

    /// A vertex of the outer node next to this one on the way to the root.
    fn two_up(&self, node: usize) -> usize {
        let inner = self.from[node].map(|(inner, _)| self.top[inner]);
        inner
            .and_then(|inner| self.from[inner])
            .map_or(NONE, |(outer, _)| outer)
    }

    /// What happens next when duals change, and by how much they change until then; `None` if nothing ever does.
    fn next_limit(&self) -> Option<(Limit, W)> {
        let mut next: Option<(Limit, W)> = None;
        let mut consider = |limit: Limit, change: W| {
            if next.as_ref().is_none_or(|(_, least)| change < *least) {
                next = Some((limit, change));
            }
        };
        for v in 0..self.n {
            if let (Label::Free, Some(edge)) = (self.label[self.top[v]], self.best[v]) {
                consider(Limit::Grow(edge), self.slack_of(edge));
            }
        }
        for node in self.outermost() {
            match (self.label[node], self.best[node]) {
                (Label::Outer, Some(edge)) => {
                    consider(Limit::Join(edge), self.slack_of(edge).halved());
                }
                (Label::Inner, _) if node >= self.n => {
                    consider(Limit::Open(node), self.dual[node]);
                }
                _ => {}
            }
        }
        next
    }

    fn change_duals(&mut self, change: W) {
        for v in 0..self.n {
            match self.label[self.top[v]] {
                Label::Outer => self.dual[v] = self.dual[v] - change,
                Label::Inner => self.dual[v] = self.dual[v] + change,
                Label::Free => {}
            }
        }
        for blossom in self.n..2 * self.n {
            if self.children[blossom].is_empty() || self.parent[blossom] != NONE {
                continue;
            }
            match self.label[blossom] {
                Label::Outer => self.dual[blossom] = self.dual[blossom] + change,
                Label::Inner => self.dual[blossom] = self.dual[blossom] - change,
                Label::Free => {}
            }
        }
    }

    /// Vertices in no blossom and blossoms in no other.
    pub fn outermost(&self) -> impl Iterator<Item = usize> + '_ {
        let in_use = |&node: &usize| node < self.n || !self.children[node].is_empty();
        (0..2 * self.n)
            .filter(in_use)
            .filter(|&node| self.parent[node] == NONE)
    }

    /// Visits all vertices of a node.
    pub fn for_each_vertex(&self, node: usize, mut visit: impl FnMut(usize)) {
        let mut left = vec![node];
        while let Some(node) = left.pop() {
            if node < self.n {
                visit(node);
            } else {
                left.extend(&self.children[node]);
            }
        }
    }
}
