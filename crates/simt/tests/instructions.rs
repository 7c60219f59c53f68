//! Every straight instruction through parser, decoder and execution, by the tables in
//! `instructions/`.

mod support;

use support::run_table::table;

macro_rules! tables {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            let file = concat!(stringify!($name), ".txt");
            table(file, include_str!(concat!("instructions/", stringify!($name), ".txt")));
        }
    )*};
}

tables! { integer bits float compare convert half video }
