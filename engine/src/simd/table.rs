//! The macro that declares a table of kernels.

/// Declares a table of kernels: see the [module](crate::simd).
macro_rules! kernels {
    (
        $(#[$about:meta])*
        $visibility:vis struct $table:ident<$n:ident> {
            $(
                $(#[$doc:meta])*
                fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? = $body:path;
            )*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy)]
        $visibility struct $table<const $n: usize> {
            $($name: unsafe fn($($type),*) $(-> $result)?,)*
        }

        #[expect(unsafe_code, reason = "calls across a target feature boundary")]
        impl<const $n: usize> $table<$n> {
            /// The table of a level.
            #[inline(always)]
            $visibility fn at(level: $crate::simd::Level) -> Self {
                $(
                    #[inline(never)]
                    fn $name<const $n: usize>($($argument: $type),*) $(-> $result)? {
                        $body($($argument),*)
                    }
                )*
                #[cfg(target_arch = "x86_64")]
                if let Some(table) = Self::of_x86(level) {
                    return table;
                }
                let _ = level;
                $table { $($name: $name::<$n>,)* }
            }

            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            fn of_x86(level: $crate::simd::Level) -> Option<Self> {
                if level.is_avx512() {
                    $(
                        #[target_feature(
                            enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vpopcntdq"
                        )]
                        fn $name<const $n: usize>($($argument: $type),*) $(-> $result)? {
                            $body($($argument),*)
                        }
                    )*
                    Some($table { $($name: $name::<$n>,)* })
                } else if level.is_avx2() {
                    $(
                        #[target_feature(
                            enable = "avx2,bmi1,bmi2,lzcnt,popcnt"
                        )]
                        fn $name<const $n: usize>($($argument: $type),*) $(-> $result)? {
                            $body($($argument),*)
                        }
                    )*
                    Some($table { $($name: $name::<$n>,)* })
                } else {
                    None
                }
            }

            $(
                $(#[$doc])*
                #[inline(always)]
                #[allow(clippy::too_many_arguments, reason = "a kernel takes what its body takes")]
                $visibility fn $name(&self, $($argument: $type),*) $(-> $result)? {
                    // SAFETY: a table is made by `at` alone, and a `Level` exists only if the machine
                    // has its instruction set.
                    unsafe { (self.$name)($($argument),*) }
                }
            )*
        }
    };
}
pub(crate) use kernels;
