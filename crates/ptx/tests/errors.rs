//! What errors look like. `UPDATE_EXPECT=1 cargo test -p ptx --test errors` rewrites them.

use expect_test::{Expect, expect};

/// Parses and checks a body among some declarations, and compares the errors.
#[track_caller]
fn body(text: &str, expected: Expect) {
    module(
        &format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n\
             .func (.param .b32 r) callee(.param .b32 a);\n\
             .entry kernel(.param .u64 data)\n{{\n\
             .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n\
             .shared .b32 tile[32]; .param .b32 out; .reg .v2 .b32 pair;\n{text}\n}}\n"
        ),
        expected,
    );
}

#[track_caller]
fn module(text: &str, expected: Expect) {
    match ptx::parse(text).and_then(|module| module.check()) {
        Ok(()) => panic!("no error in\n{text}"),
        Err(errors) => expected.assert_eq(&errors.render("kernel.ptx", text)),
    }
}

#[test]
fn of_the_header() {
    module(
        "",
        expect![[r#"
        error: found the end of the text, expected `.version`, with which every PTX text begins
         --> kernel.ptx:1:1
          |
        1 | 
          | ^
    "#]],
    );
    module(
        "int main() {}",
        expect![[r#"
        error: found `int`, expected `.version`, with which every PTX text begins
         --> kernel.ptx:1:1
          |
        1 | int main() {}
          | ^^^
    "#]],
    );
    module(
        ".version 8\n.target sm_90\n",
        expect![[r#"
        error: found `8`, expected a version such as `8.0`
         --> kernel.ptx:1:10
          |
        1 | .version 8
          |          ^
    "#]],
    );
    module(
        ".version 8.0\n.target sm_90\n.address_size 16\n",
        expect![[r#"
        error: an address size is 32 or 64, not 16
         --> kernel.ptx:3:15
          |
        3 | .address_size 16
          |               ^^
          = PTX ISA, section 11.1.3
    "#]],
    );
}

#[test]
fn of_directives() {
    let header = ".version 8.0\n.target sm_90\n";
    module(
        &format!("{header}.banana 3;"),
        expect![[r#"
        error: `.banana` is no directive of a module
         --> kernel.ptx:3:1
          |
        3 | .banana 3;
          | ^^^^^^^
          = PTX ISA, section 4.3
    "#]],
    );
    module(
        &format!("{header}.global .align 3 .b32 a;"),
        expect![[r#"
        error: the alignment 3 is not a power of two
         --> kernel.ptx:3:16
          |
        3 | .global .align 3 .b32 a;
          |                ^
          = PTX ISA, section 5.4.5
    "#]],
    );
    module(
        &format!("{header}.global a;"),
        expect![[r#"
        error: found `a`, expected the variable's type, such as `.b32`
         --> kernel.ptx:3:9
          |
        3 | .global a;
          |         ^
    "#]],
    );
    module(
        &format!("{header}.global .u64 a = 18446744073709551616;"),
        expect![[r#"
            error: this integer does not fit in 64 bits
             --> kernel.ptx:3:18
              |
            3 | .global .u64 a = 18446744073709551616;
              |                  ^^^^^^^^^^^^^^^^^^^^
        "#]],
    );
    module(
        &format!("{header}.global .u64 a = 1 / 0;"),
        expect![[r#"
        error: division by zero
         --> kernel.ptx:3:20
          |
        3 | .global .u64 a = 1 / 0;
          |                    ^
    "#]],
    );
    module(
        &format!("{header}.entry k() .reqntid {{}}"),
        expect![[r#"
        error: found `{`, expected a number of threads or blocks
         --> kernel.ptx:3:21
          |
        3 | .entry k() .reqntid {}
          |                     ^
    "#]],
    );
    module(
        &format!("{header}.entry k() {{ ret;"),
        expect![[r#"
        error: the `{` of line 3 has no closing `}`
         --> kernel.ptx:3:12
          |
        3 | .entry k() { ret;
          |            ^
    "#]],
    );
    module(
        &format!("{header}.shared .b32 a = 1;"),
        expect![[r#"
        error: `.shared` variables have no initial value, only `.global` and `.const` ones
         --> kernel.ptx:3:1
          |
        3 | .shared .b32 a = 1;
          | ^^^^^^^^^^^^^^^^^^
          = PTX ISA, section 5.4.4
    "#]],
    );
    module(
        &format!("{header}.entry (.param .b32 r) k() {{ ret; }}"),
        expect![[r#"
            error: the entry `k` returns a value
             --> kernel.ptx:3:1
              |
            3 | .entry (.param .b32 r) k() { ret; }
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^
              = PTX ISA, section 11.2.1
        "#]],
    );
    module(
        &format!("{header}.alias a, b;"),
        expect![[r#"
            error: `b` is not declared here
             --> kernel.ptx:3:1
              |
            3 | .alias a, b;
              | ^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn of_tokens() {
    body(
        "mov.f32 %f1, 0f3F80;",
        expect![[r#"
        error: an f32 literal is `0f` and eight hexadecimal digits
         --> kernel.ptx:9:14
          |
        9 | mov.f32 %f1, 0f3F80;
          |              ^^^^^^
    "#]],
    );
    body(
        "mov.u32 %r1, 09;",
        expect![[r#"
        error: this is not a number
         --> kernel.ptx:9:14
          |
        9 | mov.u32 %r1, 09;
          |              ^^
    "#]],
    );
    body(
        "mov.u32 %r1, §;",
        expect![[r#"
        error: this character has no meaning in PTX
         --> kernel.ptx:9:14
          |
        9 | mov.u32 %r1, §;
          |              ^
    "#]],
    );
    body(
        ".pragma \"open;",
        expect![[r#"
        error: this string has no closing quote
         --> kernel.ptx:9:9
          |
        9 | .pragma "open;
          |         ^^^^^^
    "#]],
    );
    body(
        "/* open",
        expect![[r#"
        error: this comment has no closing `*/`
          --> kernel.ptx:11:1
           |
        11 | /* open
           | ^^^^^^^

        error: the `{` of line 6 has no closing `}`
         --> kernel.ptx:6:1
          |
        6 | {
          | ^
    "#]],
    );
}

#[test]
fn of_syntax() {
    body(
        "add.s32 %r1 %r2;",
        expect![[r#"
        error: found `%r2`, expected `,` or `;`
         --> kernel.ptx:9:13
          |
        9 | add.s32 %r1 %r2;
          |             ^^^
    "#]],
    );
    body(
        "ld.global.b32 %r1, [%rd1;",
        expect![[r#"
        error: found `;`, expected `]`, or `+` and an offset
         --> kernel.ptx:9:25
          |
        9 | ld.global.b32 %r1, [%rd1;
          |                         ^
    "#]],
    );
    body(
        "mov.b32 %r1, %r2.q;",
        expect![[r#"
        error: `.q` is no component of a register
         --> kernel.ptx:9:17
          |
        9 | mov.b32 %r1, %r2.q;
          |                 ^^
    "#]],
    );
    body(
        "add.s32 %r1, %r2,\nsub.s32 %r1, %r2, %r3;\n]\nmul.lo.s32 %r1, %r2 %r3;",
        expect![[r#"
            error: `.s32` is no component of a register
              --> kernel.ptx:10:4
               |
            10 | sub.s32 %r1, %r2, %r3;
               |    ^^^^

            error: found `]`, expected an instruction, a label, a directive or `}`
              --> kernel.ptx:11:1
               |
            11 | ]
               | ^
        "#]],
    );
}

#[test]
fn of_modifiers() {
    body(
        "add.sat.f64 %rd1, %rd2, %rd3;",
        expect![[r#"
            error: the ISA has no `add.sat.f64`: `.f64` has no place in it, and `.s32` is missing; it has `add.sat.s32`, `add{.rn|.rz|.rm|.rp}{.ftz}{.sat}.f32`, `add{.rn|.rz|.rm|.rp}.f64`
             --> kernel.ptx:9:1
              |
            9 | add.sat.f64 %rd1, %rd2, %rd3;
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              = PTX ISA, section 9.7.1.1
        "#]],
    );
    body(
        "mul.s32 %r1, %r2, %r3;",
        expect![[r#"
            error: the ISA has no `mul.s32`: one of `.lo`, `.hi` is missing; it has `mul(.lo|.hi)(.u16|.u32|.u64|.s16|.s32|.s64)`, `mul.wide(.u16|.u32|.s16|.s32)`
             --> kernel.ptx:9:1
              |
            9 | mul.s32 %r1, %r2, %r3;
              | ^^^^^^^^^^^^^^^^^^^^^^
              = PTX ISA, section 9.7.1.3
        "#]],
    );
    body(
        "shfl.sync.left.b32 %r1, %r2, 1, 31, -1;",
        expect![[r#"
            error: the ISA has no `shfl.sync.left.b32`: `.left` has no place in it, and one of `.up`, `.down`, `.bfly`, `.idx` is missing; it has `shfl.sync(.up|.down|.bfly|.idx).b32`
             --> kernel.ptx:9:1
              |
            9 | shfl.sync.left.b32 %r1, %r2, 1, 31, -1;
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              = PTX ISA, section 9.7.9.6
        "#]],
    );
    body(
        "atom.global.sub.u32 %r1, [%rd1], 1;",
        expect![[r#"
            error: the ISA has no `atom.global.sub.u32`: `.sub` has no place in it, and `.add` is missing
             --> kernel.ptx:9:1
              |
            9 | atom.global.sub.u32 %r1, [%rd1], 1;
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              = PTX ISA, section 9.7.13.5
        "#]],
    );
    body(
        "ld.relaxed.global.b32 %r1, [%rd1];",
        expect![[r#"
            error: the ISA has no `ld.relaxed.global.b32`: one of `.cta`, `.cluster`, `.gpu`, `.sys` is missing
             --> kernel.ptx:9:1
              |
            9 | ld.relaxed.global.b32 %r1, [%rd1];
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              = PTX ISA, section 9.7.9.8
        "#]],
    );
}

#[test]
fn of_operands() {
    body(
        "add.s32 %r1, %r2;",
        expect![[r#"
        error: `add.s32` takes 3 operands, not 2
         --> kernel.ptx:9:1
          |
        9 | add.s32 %r1, %r2;
          | ^^^^^^^^^^^^^^^^^
          = PTX ISA, section 9.7.1.1
    "#]],
    );
    body(
        "add.s32 %f1, %r2, %r3;",
        expect![[r#"
        error: `%f1` is a register of type `.f32`, and `.s32` is wanted here
         --> kernel.ptx:9:9
          |
        9 | add.s32 %f1, %r2, %r3;
          |         ^^^
          = PTX ISA, section 9.7.1.1
    "#]],
    );
    body(
        "add.s32 %r1, %r2, 1.5;",
        expect![[r#"
        error: `0d3FF8000000000000` is no constant of type `.s32`
         --> kernel.ptx:9:19
          |
        9 | add.s32 %r1, %r2, 1.5;
          |                   ^^^
          = PTX ISA, section 9.7.1.1
    "#]],
    );
    body(
        "add.u32 %r1, %tid.x, 1;",
        expect![[r#"
            error: `add` does not read special registers; `mov` %tid.x first
             --> kernel.ptx:9:14
              |
            9 | add.u32 %r1, %tid.x, 1;
              |              ^^^^^^
              = PTX ISA, section 10
        "#]],
    );
    body(
        "add.s32 %r1, %r2, %r12;",
        expect![[r#"
            error: `%r12` is not declared here
             --> kernel.ptx:9:19
              |
            9 | add.s32 %r1, %r2, %r12;
              |                   ^^^^
        "#]],
    );
    body(
        "ld.global.b32 %r1, [tile];",
        expect![[r#"
        error: `tile` lives in `.shared`, and the instruction addresses `.global`
         --> kernel.ptx:9:20
          |
        9 | ld.global.b32 %r1, [tile];
          |                    ^^^^^^
          = PTX ISA, section 9.7.9.8
    "#]],
    );
    body(
        "ld.global.v4.b32 {%r1, %r2}, [%rd1];",
        expect![[r#"
            error: `.v4` wants 4 parts, not 2
             --> kernel.ptx:9:18
              |
            9 | ld.global.v4.b32 {%r1, %r2}, [%rd1];
              |                  ^^^^^^^^^^
              = PTX ISA, section 5.4.2
        "#]],
    );
    body(
        "mov.b64 {%rd1, %r2}, %rd3;",
        expect![[r#"
        error: `%rd1` has 64 bits, and each of 2 parts of `.b64` has 32
         --> kernel.ptx:9:9
          |
        9 | mov.b64 {%rd1, %r2}, %rd3;
          |         ^^^^^^^^^^^
          = PTX ISA, section 9.7.9.3
    "#]],
    );
    body(
        "mov.b32 pair.z, 1;",
        expect![[r#"
        error: `pair` has no component `.z`
         --> kernel.ptx:9:9
          |
        9 | mov.b32 pair.z, 1;
          |         ^^^^^^
          = PTX ISA, section 9.7.9.3
    "#]],
    );
    body(
        "bra nowhere;",
        expect![[r#"
            error: `nowhere` is not declared here
             --> kernel.ptx:9:5
              |
            9 | bra nowhere;
              |     ^^^^^^^
        "#]],
    );
    body(
        "@%r1 ret;",
        expect![[r#"
        error: the guard `%r1` is no predicate register
         --> kernel.ptx:9:1
          |
        9 | @%r1 ret;
          | ^^^^^^^^^
          = PTX ISA, section 9.3
    "#]],
    );
    body(
        "call (out), callee, (out, out);",
        expect![[r#"
        error: `callee` has 1 argument, and the call names 2
         --> kernel.ptx:9:1
          |
        9 | call (out), callee, (out, out);
          | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          = PTX ISA, section 9.7.12.5
    "#]],
    );
    body(
        "call (out), %rd1, (out);",
        expect![[r#"
        error: an indirect call names its prototype or its targets last
         --> kernel.ptx:9:1
          |
        9 | call (out), %rd1, (out);
          | ^^^^^^^^^^^^^^^^^^^^^^^^
          = PTX ISA, section 9.7.12.5
    "#]],
    );
    body(
        "call missing;",
        expect![[r#"
            error: `missing` is not declared here
             --> kernel.ptx:9:1
              |
            9 | call missing;
              | ^^^^^^^^^^^^^
        "#]],
    );
    body(
        ".reg .b32 twice; .reg .b32 twice;",
        expect![[r#"
        error: `twice` is declared twice in one scope
         --> kernel.ptx:9:18
          |
        9 | .reg .b32 twice; .reg .b32 twice;
          |                  ^^^^^^^^^^^^^^^
    "#]],
    );
}
