//! The form of a row in the list of facts.

/// A constant for each row, and the list of them.
macro_rules! declare {
    ($(
        #[$doc:ident = $summary:literal]
        $constant:ident = $name:literal, $of_type:expr, $subject:ident $(, $flag:ident $(($argument:ident))? $(= $setting:literal)?)*;
    )+) => {
        $(
            #[$doc = $summary]
            pub const $constant: $crate::fact::Declared = $crate::fact::Declared::new(
                $name,
                $of_type,
                $crate::fact::Subject::$subject,
                $summary,
            )$(.$flag($($crate::fact::Together::$argument)? $($setting)?))*;
        )+
        /// The rows of this file.
        pub(super) const LIST: &[&$crate::fact::Declared] = &[$(&$constant),+];
    };
}
pub(crate) use declare;
