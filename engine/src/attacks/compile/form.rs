//! The fast forms of moves: straight rides, rides over one man, grasshoppers.

use super::{Compiler, chain, plain_node};
use crate::attacks::rays::Ride;
use crate::betza::{From, Node, Root};

/// What a root is, if it has one of the fast forms.
pub(super) enum Form {
    Ride(Ride),
    Hop(Ride),
    Grasshop(Ride),
    Other,
}

impl<const N: usize> Compiler<'_, N> {
    /// The fast form of a root.
    pub(super) fn form(&mut self, root: &Root) -> Form {
        if root.from != From::Anywhere || !plain_node(&root.node) {
            return Form::Other;
        }
        let longest = usize::from(self.rules.geometry.files().max(self.rules.geometry.ranks())) - 1;
        let node = &root.node;
        let ride = |this: &mut Self, stop: crate::betza::Stop| Ride {
            rays: this.step(node.step),
            quiet: stop.quiet,
            capture: stop.capture,
        };
        if chain(node, node.step, longest, |n, first| {
            n.stop == first.stop && n.on_occupied.is_empty()
        }) && (node.stop.quiet || node.stop.capture)
            && longest > 1
        {
            return Form::Ride(ride(self, node.stop));
        }
        let no_stop = |n: &Node| !n.stop.quiet && !n.stop.capture;
        let landing = node
            .on_occupied
            .first()
            .filter(|l| l.step == node.step)
            .map(|l| l.stop);
        let Some(stop) = landing else {
            return Form::Other;
        };
        let after = |n: &Node, wanted: usize| {
            n.on_occupied.len() == 1
                && n.on_occupied[0].stop == stop
                && n.on_occupied[0].step == node.step
                && chain(&n.on_occupied[0], node.step, wanted, |m, _| {
                    m.stop == stop && m.on_occupied.is_empty()
                })
        };
        let mut remaining = longest;
        let (mut hop, mut grasshop) = (true, true);
        let mut current = Some(node);
        while let Some(n) = current {
            if n.step != node.step || !no_stop(n) || n.on_empty.len() > 1 {
                return Form::Other;
            }
            if remaining > 1 {
                hop &= after(n, remaining - 1);
                let leaf = n
                    .on_occupied
                    .first()
                    .is_some_and(|l| l.on_empty.is_empty() && l.on_occupied.is_empty());
                grasshop &= n.on_occupied.len() == 1
                    && n.on_occupied[0].step == node.step
                    && n.on_occupied[0].stop == stop
                    && leaf;
                remaining -= 1;
            }
            current = n.on_empty.first();
        }
        if remaining > 1 {
            return Form::Other;
        }
        match (hop, grasshop) {
            (_, true) if longest > 2 => Form::Grasshop(ride(self, stop)),
            (true, _) => Form::Hop(ride(self, stop)),
            _ => Form::Other,
        }
    }
}

/// Joins rides along the same rays.
pub(super) fn merge_rides(rides: &mut Vec<Ride>) {
    let mut merged: Vec<Ride> = Vec::new();
    for ride in rides.iter() {
        match merged.iter_mut().find(|r| r.rays == ride.rays) {
            Some(r) => {
                r.quiet |= ride.quiet;
                r.capture |= ride.capture;
            }
            None => merged.push(*ride),
        }
    }
    *rides = merged;
}
