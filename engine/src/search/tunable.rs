//! Parameters of search: constants, or with the feature `tunable` options that a tuner sets while the program runs.

/// Makes a function of each `name = value;` that gives the value.
macro_rules! parameters {
    ($($(#[$about:meta])* $name:ident = $value:expr;)*) => {
        $(
            $(#[$about])*
            #[cfg(not(feature = "tunable"))]
            #[inline(always)]
            pub(super) const fn $name() -> i32 {
                $value
            }

            $(#[$about])*
            #[cfg(feature = "tunable")]
            #[inline]
            pub(super) fn $name() -> i32 {
                values::$name.load(std::sync::atomic::Ordering::Relaxed)
            }
        )*

        /// The values that the functions give.
        #[cfg(any(feature = "tunable", test))]
        #[allow(non_upper_case_globals)]
        mod values {
            use std::sync::atomic::AtomicI32;
            $(pub(super) static $name: AtomicI32 = AtomicI32::new($value);)*
        }

        /// Sets a parameter of this process; `false` if none has the name.
        #[cfg(any(feature = "tunable", test))]
        pub(super) fn set(name: &str, value: i32) -> bool {
            let parameter = match name {
                $(stringify!($name) => &values::$name,)*
                _ => return false,
            };
            parameter.store(value, std::sync::atomic::Ordering::Relaxed);
            true
        }

        /// The parameters by name, with the values they begin with.
        #[cfg(any(feature = "tunable", test))]
        pub const ALL: &[(&str, i32)] = &[$((stringify!($name), $value),)*];
    };
}
pub(super) use parameters;

#[cfg(test)]
mod tests {
    use crate::search::params;

    #[test]
    fn every_parameter_has_a_name_of_its_own() {
        let mut names: Vec<&str> = params::ALL.iter().map(|p| p.0).collect();
        assert!(names.contains(&"null_reduction"));
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
        for &(name, value) in params::ALL {
            assert!(params::set(name, value), "{name}");
        }
        assert!(!params::set("null_reductions", 3));
    }

    #[test]
    fn the_script_that_leaves_techniques_out_names_parameters() {
        let script = include_str!("../../benches/techniques.sh");
        let techniques = script.lines().filter_map(|l| l.trim().strip_prefix('['));
        let mut checked = 0;
        for (name, options) in techniques.filter_map(|l| l.split_once("]=")) {
            for (parameter, value) in options.split(',').filter_map(|o| o.split_once('=')) {
                assert!(
                    params::ALL.iter().any(|p| p.0 == parameter),
                    "{name}: {parameter}"
                );
                assert!(value.parse::<i32>().is_ok(), "{name}: {parameter}={value}");
                checked += 1;
            }
        }
        assert!(checked >= 9, "{checked}");
    }
}
