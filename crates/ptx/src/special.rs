//! Special registers (PTX ISA 10).

use crate::ScalarType;
use crate::words::words;

words! {
    /// A predefined, read-only register.
    SpecialRegister {
        TidX = "%tid.x", TidY = "%tid.y", TidZ = "%tid.z",
        NtidX = "%ntid.x", NtidY = "%ntid.y", NtidZ = "%ntid.z",
        Laneid = "%laneid", Warpid = "%warpid", Nwarpid = "%nwarpid",
        CtaidX = "%ctaid.x", CtaidY = "%ctaid.y", CtaidZ = "%ctaid.z",
        NctaidX = "%nctaid.x", NctaidY = "%nctaid.y", NctaidZ = "%nctaid.z",
        Smid = "%smid", Nsmid = "%nsmid", Gridid = "%gridid",
        IsExplicitCluster = "%is_explicit_cluster",
        ClusteridX = "%clusterid.x", ClusteridY = "%clusterid.y", ClusteridZ = "%clusterid.z",
        NclusteridX = "%nclusterid.x", NclusteridY = "%nclusterid.y",
        NclusteridZ = "%nclusterid.z",
        ClusterCtaidX = "%cluster_ctaid.x", ClusterCtaidY = "%cluster_ctaid.y",
        ClusterCtaidZ = "%cluster_ctaid.z",
        ClusterNctaidX = "%cluster_nctaid.x", ClusterNctaidY = "%cluster_nctaid.y",
        ClusterNctaidZ = "%cluster_nctaid.z",
        ClusterCtarank = "%cluster_ctarank", ClusterNctarank = "%cluster_nctarank",
        LanemaskEq = "%lanemask_eq", LanemaskLe = "%lanemask_le", LanemaskLt = "%lanemask_lt",
        LanemaskGe = "%lanemask_ge", LanemaskGt = "%lanemask_gt",
        Clock = "%clock", ClockHi = "%clock_hi", Clock64 = "%clock64",
        Globaltimer = "%globaltimer", GlobaltimerLo = "%globaltimer_lo",
        GlobaltimerHi = "%globaltimer_hi",
        TotalSmemSize = "%total_smem_size", AggrSmemSize = "%aggr_smem_size",
        DynamicSmemSize = "%dynamic_smem_size",
        ReservedSmemOffsetBegin = "%reserved_smem_offset_begin",
        ReservedSmemOffsetEnd = "%reserved_smem_offset_end",
        ReservedSmemOffsetCap = "%reserved_smem_offset_cap",
        ReservedSmemOffset0 = "%reserved_smem_offset_0",
        ReservedSmemOffset1 = "%reserved_smem_offset_1",
        CurrentGraphExec = "%current_graph_exec",
        Pm0 = "%pm0", Pm1 = "%pm1", Pm2 = "%pm2", Pm3 = "%pm3",
        Pm4 = "%pm4", Pm5 = "%pm5", Pm6 = "%pm6", Pm7 = "%pm7",
        Pm0Wide = "%pm0_64", Pm1Wide = "%pm1_64", Pm2Wide = "%pm2_64", Pm3Wide = "%pm3_64",
        Pm4Wide = "%pm4_64", Pm5Wide = "%pm5_64", Pm6Wide = "%pm6_64", Pm7Wide = "%pm7_64",
        Envreg0 = "%envreg0", Envreg1 = "%envreg1", Envreg2 = "%envreg2", Envreg3 = "%envreg3",
        Envreg4 = "%envreg4", Envreg5 = "%envreg5", Envreg6 = "%envreg6", Envreg7 = "%envreg7",
        Envreg8 = "%envreg8", Envreg9 = "%envreg9", Envreg10 = "%envreg10",
        Envreg11 = "%envreg11", Envreg12 = "%envreg12", Envreg13 = "%envreg13",
        Envreg14 = "%envreg14", Envreg15 = "%envreg15", Envreg16 = "%envreg16",
        Envreg17 = "%envreg17", Envreg18 = "%envreg18", Envreg19 = "%envreg19",
        Envreg20 = "%envreg20", Envreg21 = "%envreg21", Envreg22 = "%envreg22",
        Envreg23 = "%envreg23", Envreg24 = "%envreg24", Envreg25 = "%envreg25",
        Envreg26 = "%envreg26", Envreg27 = "%envreg27", Envreg28 = "%envreg28",
        Envreg29 = "%envreg29", Envreg30 = "%envreg30", Envreg31 = "%envreg31",
        /// The constant warp size; not a register in the ISA's sense, but read like one.
        WarpSize = "WARP_SZ",
    }
}

impl SpecialRegister {
    /// The register named by a word and an optional component, such as `%tid` and `x`.
    #[must_use]
    pub fn from_parts(word: &str, component: Option<&str>) -> Option<SpecialRegister> {
        match component {
            None => SpecialRegister::from_word(word),
            Some(component) => {
                let mut name = String::with_capacity(word.len() + 2);
                name.push_str(word);
                name.push('.');
                name.push_str(component);
                SpecialRegister::from_word(&name)
            }
        }
    }

    /// The register's type.
    #[must_use]
    pub const fn ty(self) -> ScalarType {
        use SpecialRegister as R;
        match self {
            R::Gridid | R::Clock64 | R::Globaltimer | R::CurrentGraphExec => ScalarType::U64,
            R::Pm0Wide | R::Pm1Wide | R::Pm2Wide | R::Pm3Wide => ScalarType::U64,
            R::Pm4Wide | R::Pm5Wide | R::Pm6Wide | R::Pm7Wide => ScalarType::U64,
            R::IsExplicitCluster => ScalarType::Pred,
            R::Envreg0 | R::Envreg1 | R::Envreg2 | R::Envreg3 | R::Envreg4 | R::Envreg5 => {
                ScalarType::B32
            }
            _ => ScalarType::U32,
        }
    }
}
