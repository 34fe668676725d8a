//! A rating list of files as comma-separated values.

use super::list::{Listing, error_bars_name, model_name};
use crate::output::{points, quoted};

impl Listing<'_> {
    /// The list, a player a line; every line states the confidence, the model and the kind of error bars.
    pub(super) fn csv(&self) -> String {
        let totals = self.totals();
        let mut text = "rank,player,elo,interval,games,points,wins,advantages,draws,disadvantages,losses,los_next,bound,group,interval_low,interval_high,confidence,model,error_bars\n".to_owned();
        let number =
            |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.2}"));
        for player in self.report.ranking() {
            let mut row = vec![
                player.rank.map_or(String::new(), |rank| rank.to_string()),
                quoted(self.name(player.player)),
                number(player.rating_elo),
                number(player.error_elo),
                player.games.to_string(),
                points(player.points.0),
            ];
            row.extend(
                totals[player.player]
                    .outcomes
                    .iter()
                    .rev()
                    .map(u64::to_string),
            );
            row.push(
                player
                    .los_next
                    .map_or(String::new(), |los| format!("{los:.4}")),
            );
            row.push(number(player.bound_elo));
            row.push((player.component + 1).to_string());
            row.extend([0, 1].map(|end| number(player.interval_elo.map(|ends| ends[end]))));
            row.push(self.report.level.to_string());
            row.push(model_name(self.model).to_owned());
            row.push(error_bars_name(self.report.error_bars).to_owned());
            text += &(row.join(",") + "\n");
        }
        text
    }
}
