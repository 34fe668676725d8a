//! Blossoms: rings of an odd number of nodes that act as one vertex, and the exchange of edges along paths through them.

use super::search::{Edge, Label, NONE, Search};
use super::weight::Weight;

impl<W: Weight> Search<W> {
    /// Makes a blossom of the ring that an edge between two outer nodes closes over their common root.
    pub fn close(&mut self, base: usize, edge: Edge) {
        let root = self.top[base];
        let Some(blossom) = self.unused.pop() else {
            return; // Never: no laminar family over n vertices has n rings.
        };
        let (mut nodes, mut ring) = self.way_up(edge.0, root);
        nodes.push(root);
        nodes.reverse();
        ring.reverse();
        ring.push(edge);
        let (other_nodes, other_ring) = self.way_up(edge.1, root);
        nodes.extend(other_nodes);
        ring.extend(
            other_ring
                .into_iter()
                .map(|(outside, inside)| (inside, outside)),
        );
        for &node in &nodes {
            self.parent[node] = blossom;
        }
        self.label[blossom] = Label::Outer;
        self.from[blossom] = self.from[root];
        self.dual[blossom] = W::ZERO;
        self.base[blossom] = base;
        for &node in &nodes {
            let mut vertices = Vec::new();
            self.for_each_vertex(node, |vertex| vertices.push(vertex));
            for &vertex in &vertices {
                self.top[vertex] = blossom;
            }
            if self.label[node] == Label::Inner {
                self.queue.extend(vertices);
            }
        }
        self.gather_best(blossom, &nodes);
        self.children[blossom] = nodes;
        self.ring[blossom] = ring;
    }

    /// The nodes from that of `v` up to but without `root`, and the edges by which each was labelled.
    fn way_up(&self, v: usize, root: usize) -> (Vec<usize>, Vec<Edge>) {
        let (mut nodes, mut edges) = (Vec::new(), Vec::new());
        let mut node = self.top[v];
        while node != root {
            let Some(edge) = self.from[node] else {
                break;
            };
            nodes.push(node);
            edges.push(edge);
            node = self.top[edge.0];
        }
        (nodes, edges)
    }

    /// Finds the edges of least slack from a new blossom to all other outer nodes.
    fn gather_best(&mut self, blossom: usize, nodes: &[usize]) {
        let mut best_to: Vec<Option<(Edge, W)>> = vec![None; 2 * self.n];
        let mut consider = |search: &Self, (u, v): Edge| {
            let other = search.top[v];
            if other == blossom || search.label[other] != Label::Outer {
                return;
            }
            let Some(slack) = search.slack(u, v) else {
                return;
            };
            if best_to[other].is_none_or(|(_, least)| slack < least) {
                best_to[other] = Some(((u, v), slack));
            }
        };
        for &node in nodes {
            match self.best_to[node].take() {
                Some(edges) => edges.into_iter().for_each(|edge| consider(self, edge)),
                None => self.for_each_vertex(node, |u| {
                    (0..self.n).for_each(|v| consider(self, (u, v)));
                }),
            }
            self.best[node] = None;
        }
        let found = best_to.iter().flatten();
        self.best[blossom] = found
            .clone()
            .min_by_key(|(_, slack)| *slack)
            .map(|&(edge, _)| edge);
        self.best_to[blossom] = Some(found.map(|&(edge, _)| edge).collect());
    }

    /// Takes a blossom apart and gives its nodes back; its place in the ring is as it was.
    fn take_apart(&mut self, blossom: usize) -> (Vec<usize>, Vec<Edge>) {
        let nodes = std::mem::take(&mut self.children[blossom]);
        let ring = std::mem::take(&mut self.ring[blossom]);
        for &node in &nodes {
            self.parent[node] = NONE;
            let mut vertices = Vec::new();
            self.for_each_vertex(node, |vertex| vertices.push(vertex));
            for vertex in vertices {
                self.top[vertex] = node;
            }
        }
        self.label[blossom] = Label::Free;
        self.best[blossom] = None;
        self.best_to[blossom] = None;
        self.unused.push(blossom);
        (nodes, ring)
    }

    /// Takes apart all outermost blossoms without dual, between stages.
    pub fn open_idle(&mut self) {
        let mut left: Vec<usize> = self.outermost().filter(|&node| node >= self.n).collect();
        while let Some(blossom) = left.pop() {
            if self.dual[blossom] == W::ZERO {
                let (nodes, _) = self.take_apart(blossom);
                left.extend(nodes.into_iter().filter(|&node| node >= self.n));
            }
        }
    }

    /// Takes an inner blossom apart and labels its nodes anew.
    pub fn open_inner(&mut self, blossom: usize) {
        let Some(entry) = self.from[blossom] else {
            return; // Never: inner nodes are no roots.
        };
        let (nodes, ring) = self.take_apart(blossom);
        for &node in &nodes {
            self.label[node] = Label::Free;
        }
        let len = nodes.len();
        let start = nodes.iter().position(|&node| node == self.top[entry.1]);
        let start = start.unwrap_or(0);
        // The way of even length from the entry to the base stays in the tree.
        let forward = start % 2 == 1;
        let step = |place: usize| {
            if forward {
                (place + 1) % len
            } else {
                (place + len - 1) % len
            }
        };
        let mut edge = entry;
        let mut place = start;
        while place != 0 {
            self.label_inner(edge);
            let over = step(place);
            place = step(over);
            edge = between(&ring, over, place);
        }
        // The base is matched outside the blossom, to a node that is labelled already.
        let node = nodes[0];
        self.label[node] = Label::Inner;
        self.from[node] = Some(edge);
        self.reached[edge.1] = Some(edge);
        // The other way is free, but for nodes that were reached from outside.
        place = step(place);
        while place != start {
            let node = nodes[place];
            if self.label[node] == Label::Free {
                let mut found = None;
                self.for_each_vertex(node, |vertex| found = found.or(self.reached[vertex]));
                if let Some(edge) = found {
                    self.label_inner(edge);
                }
            }
            place = step(place);
        }
    }

    /// Exchanges matched and unmatched edges along the paths from both ends of an edge to their roots.
    pub fn flip(&mut self, (u, v): Edge) {
        for (mut here, mut partner) in [(u, v), (v, u)] {
            loop {
                let outer = self.top[here];
                self.move_base(outer, here);
                self.mate[here] = partner;
                let Some((above, _)) = self.from[outer] else {
                    break;
                };
                let inner = self.top[above];
                let Some((next, entry)) = self.from[inner] else {
                    break;
                };
                self.move_base(inner, entry);
                self.mate[entry] = next;
                (here, partner) = (next, entry);
            }
        }
    }

    /// Matches the inside of a node anew so that `vertex` is the one left over.
    fn move_base(&mut self, node: usize, vertex: usize) {
        let mut left = vec![(node, vertex)];
        while let Some((node, vertex)) = left.pop() {
            if node < self.n || self.base[node] == vertex {
                continue;
            }
            let mut child = vertex;
            while self.parent[child] != node {
                child = self.parent[child];
            }
            left.push((child, vertex));
            let len = self.children[node].len();
            let position = self.children[node].iter().position(|&it| it == child);
            let start = position.unwrap_or(0);
            let forward = start % 2 == 1;
            let step = |place: usize| {
                if forward {
                    (place + 1) % len
                } else {
                    (place + len - 1) % len
                }
            };
            let mut place = start;
            while place != 0 {
                let near = step(place);
                place = step(near);
                let (a, b) = between(&self.ring[node], near, place);
                (self.mate[a], self.mate[b]) = (b, a);
                left.push((self.children[node][near], a));
                left.push((self.children[node][place], b));
            }
            self.children[node].rotate_left(start);
            self.ring[node].rotate_left(start);
            self.base[node] = vertex;
        }
    }
}

/// The edge of a ring between neighbouring places, from the first one to the second.
fn between(ring: &[Edge], from: usize, to: usize) -> Edge {
    if (from + 1) % ring.len() == to {
        ring[from]
    } else {
        let (a, b) = ring[to];
        (b, a)
    }
}
