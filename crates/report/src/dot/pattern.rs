//! A lock pattern as a graph: the methods from where the context is locked to where the witness is, the calls between them
//! numbered by the acquisition they lead to.

use super::quoted;
use crate::words::name;
use interloper_findings::{Finding, Place, Site, short_method};

/// The lines of the graph: of the finding's first place.
pub(super) fn body(finding: &Finding) -> Vec<String> {
    let place = finding.pattern.as_ref().and_then(|pattern| pattern.places.first());
    place.map(|place| Drawing::default().draw(place)).unwrap_or_default()
}

#[derive(Default)]
struct Drawing {
    /// Method and what it does; an index is a node.
    nodes: Vec<String>,
    edges: Vec<String>,
}

impl Drawing {
    fn draw(mut self, place: &Place) -> Vec<String> {
        let context = &place.context;
        let from = self.node(&context.site.method);
        let start = self.chain(from, &context.calls, &place.method, "gray25", "");
        for (found, colour, mark) in
            [(&place.first, "royalblue", "1: "), (&place.second, "firebrick", "2: ")]
        {
            let end = self.chain(start, &found.calls, &found.site.method, colour, mark);
            let lock = format!("locks {}", name(&found.lock));
            self.edge(end, WITNESS, &format!("{mark}{lock}"), &found.site, colour);
        }
        let mut lines: Vec<String> = vec![];
        for (i, method) in self.nodes.iter().enumerate() {
            let mut label = vec![name(&short_method(method))];
            let holds = i == from;
            if holds {
                label.push(format!("holds {}", name(&context.lock)));
            }
            let style = if holds { ", peripheries=2, penwidth=2" } else { "" };
            lines.push(format!("m{i} [label={}{style}]", quoted(&label)));
        }
        let witness = quoted(&[name(&place.witness)]);
        lines.push(format!("{WITNESS} [label={witness}, shape=ellipse, penwidth=2]"));
        lines.append(&mut self.edges);
        lines
    }

    fn node(&mut self, method: &str) -> usize {
        let known = self.nodes.iter().position(|it| it == method);
        known.unwrap_or_else(|| {
            self.nodes.push(method.to_owned());
            self.nodes.len() - 1
        })
    }

    /// Draws calls; the node they end in.
    fn chain(
        &mut self,
        from: usize,
        calls: &[Site],
        last: &str,
        colour: &str,
        mark: &str,
    ) -> usize {
        let mut from = from;
        for (i, site) in calls.iter().enumerate() {
            let to = self.node(calls.get(i + 1).map_or(last, |next| &next.method));
            self.edge(from, &format!("m{to}"), &format!("{mark}calls"), site, colour);
            from = to;
        }
        from
    }

    fn edge(&mut self, from: usize, to: &str, what: &str, site: &Site, colour: &str) {
        let at = site.at.rsplit('/').next().unwrap_or_default();
        // the margin of spaces keeps the label off the line
        let label = match at {
            "" => quoted(&[format!("  {what}  ")]),
            at => quoted(&[format!("  {what}  "), format!("  {}  ", name(at))]),
        };
        let line = format!("m{from} -> {to} [label={label}, color={colour}, fontcolor={colour}]");
        self.edges.push(line);
    }
}

/// The node of the witness.
const WITNESS: &str = "witness";
