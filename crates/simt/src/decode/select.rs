//! Which decoder an instruction goes to.

use super::function::{Decoded, Decoder, Op};
use crate::code::{Barrier, BarrierKind, Flow, Source32};
use crate::exec::misc;
use crate::machine::barrier::CLUSTER;
use ptx::modifier::{Flag, Scope};
use ptx::{Instruction, Modifier, Opcode};

impl Decoder<'_> {
    /// Decodes one instruction.
    pub(crate) fn instruction(&mut self, i: &Instruction) -> Result<Decoded, String> {
        use Opcode as O;
        // What it says would be left out silently.
        if let Some(word) = i
            .modifiers
            .iter()
            .find(|it| matches!(it, Modifier::Other(_)))
        {
            return Err(format!("`.{word}` is not known"));
        }
        let op = match i.opcode {
            O::Add | O::Sub | O::Mul | O::Mad | O::Div | O::Min | O::Max | O::Abs | O::Neg
                if Decoder::is_float(i) =>
            {
                self.float(i)?
            }
            O::Add | O::Sub | O::Mul | O::Mad | O::Div | O::Min | O::Max | O::Abs | O::Neg => {
                self.integer(i)?
            }
            O::Mul24 | O::Mad24 | O::Sad | O::Rem | O::Popc | O::Clz | O::Bfind | O::Fns => {
                self.integer(i)?
            }
            O::Brev | O::Bfe | O::Bfi | O::Bmsk | O::Szext | O::Dp4a | O::Dp2a => {
                self.integer(i)?
            }
            O::Addc | O::Subc | O::Madc => self.integer(i)?,
            O::Fma | O::Rcp | O::Sqrt | O::Rsqrt | O::Sin | O::Cos | O::Lg2 | O::Ex2 => {
                self.float(i)?
            }
            O::Tanh | O::Copysign => self.float(i)?,
            O::Testp => self.testp(i)?,
            O::Set => self.set(i)?,
            O::Setp => self.setp(i)?,
            O::Selp => self.selp(i)?,
            O::Slct => self.slct(i)?,
            O::And | O::Or | O::Xor | O::Not | O::Cnot | O::Lop3 | O::Shf | O::Shl | O::Shr => {
                self.logic(i)?
            }
            O::Prmt => self.logic(i)?,
            O::Mov => self.mov(i)?,
            O::Cvt => self.cvt(i)?,
            O::CvtPack => self.cvt_pack(i)?,
            O::Cvta => self.cvta(i)?,
            O::Isspacep => self.isspacep(i)?,
            O::Ld | O::Ldu => self.ld(i)?,
            O::St => self.st(i)?,
            O::Atom | O::Red => self.atom(i)?,
            O::CpAsync => self.cp_async(i)?,
            O::MbarrierInit | O::MbarrierInval | O::MbarrierExpectTx => self.mbarrier(i)?,
            O::MbarrierCompleteTx | O::MbarrierArrive | O::MbarrierArriveDrop => {
                self.mbarrier(i)?
            }
            O::MbarrierTestWait | O::MbarrierTryWait => self.mbarrier(i)?,
            O::MbarrierPendingCount => self.mbarrier(i)?,
            O::CpAsyncMbarrierArrive => self.copies_arrive(i)?,
            O::CpAsyncBulk => self.bulk_copy(i)?,
            O::CpReduceAsyncBulk => self.bulk_reduce(i)?,
            O::StAsync => self.st_async(i)?,
            O::StBulk => self.st_bulk(i)?,
            O::RedAsync => self.red_async(i)?,
            O::Vadd | O::Vsub | O::Vabsdiff | O::Vmin | O::Vmax | O::Vshl | O::Vshr => {
                self.video(i)?
            }
            O::Vmad | O::Vset | O::Vset2 | O::Vset4 => self.video(i)?,
            O::Vadd2 | O::Vsub2 | O::Vavrg2 | O::Vabsdiff2 | O::Vmin2 | O::Vmax2 => {
                self.video(i)?
            }
            O::Vadd4 | O::Vsub4 | O::Vavrg4 | O::Vabsdiff4 | O::Vmin4 | O::Vmax4 => {
                self.video(i)?
            }
            O::Activemask => {
                let d = self.dst(self.operand(i, 0)?, 4)?;
                Op::new(misc::activemask()).to(d, 4)
            }
            O::Membar | O::Fence => {
                let wide = !matches!(i.scope(), Some(Scope::Cta));
                Op::new(misc::fence()).imm(u64::from(wide))
            }
            // Without effect on values: hints, profiling, and copies that were made at once.
            O::Prefetch | O::Prefetchu | O::Applypriority | O::Pmevent | O::Setmaxnreg => nothing(),
            O::CpAsyncCommitGroup | O::CpAsyncWaitGroup | O::CpAsyncWaitAll => nothing(),
            O::CpAsyncBulkCommitGroup | O::CpAsyncBulkWaitGroup | O::CpAsyncBulkPrefetch => {
                nothing()
            }
            O::Discard => nothing(),
            O::FenceProxy | O::FenceMbarrierInit => Op::new(misc::fence()).imm(1),
            O::Griddepcontrol | O::BarrierClusterArrive => nothing(),
            O::Mapa => self.mapa(i)?,
            O::Getctarank => {
                let a = self.frame.constant(crate::code::Constant::Bits(0), 4);
                let d = self.dst(self.operand(i, 0)?, 4)?;
                let op = Op::new(misc::copy(self.level, 4));
                Op { a, ..op }.to(d, 4)
            }
            O::Createpolicy => {
                let a = self.frame.constant(crate::code::Constant::Bits(0), 8);
                let d = self.dst(self.operand(i, 0)?, 8)?;
                Op {
                    a,
                    ..Op::new(misc::copy(self.level, 8))
                }
                .to(d, 8)
            }
            _ => return Ok(Decoded::Control(self.control(i)?)),
        };
        Ok(Decoded::Straight(op))
    }

    fn control(&mut self, i: &Instruction) -> Result<Flow, String> {
        use Opcode as O;
        match i.opcode {
            O::Bra => self.bra(i),
            O::BrxIdx => self.brx(i),
            O::Call => self.call(i),
            O::Ret if self.is_entry => Ok(Flow::Exit),
            O::Ret => Ok(Flow::Return),
            O::Exit => Ok(Flow::Exit),
            O::Trap | O::Brkpt => Ok(Flow::Trap),
            O::Nanosleep => Ok(Flow::Yield),
            O::Stacksave | O::Stackrestore | O::Alloca => self.stack(i),
            O::Bar | O::Barrier => self.bar(i),
            // Every thread arrives before it waits, so that waiting says it all.
            O::BarrierClusterWait => Ok(Flow::Barrier(Box::new(Barrier {
                id: Source32::Uniform(CLUSTER),
                count: None,
                kind: BarrierKind::Sync,
                aligned: i.has(Flag::Aligned),
            }))),
            O::BarWarpSync | O::Shfl | O::Vote | O::Match | O::Redux | O::Elect => {
                self.collective(i)
            }
            _ => Err("the instruction is not supported".to_owned()),
        }
    }
}

fn nothing() -> Op {
    Op::new(misc::nothing())
}
