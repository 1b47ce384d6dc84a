// Formula characters as LaTeX (names of unicode-math): Greek, operators, arrows, and mathematical alphanumerics.
// Unknown characters stay unchanged.

import { pairs, words } from './words.ts';

/** Pairs of a character and its command without the backslash. */
const NAMED: ReadonlyMap<string, string> = pairs(
  'α alpha β beta γ gamma δ delta ε varepsilon ϵ epsilon ζ zeta η eta θ theta ϑ vartheta ι iota ' +
    'κ kappa λ lambda μ mu µ mu ν nu ξ xi π pi ϖ varpi ρ rho ϱ varrho σ sigma ς varsigma τ tau ' +
    'υ upsilon φ varphi ϕ phi χ chi ψ psi ω omega Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma ' +
    'Υ Upsilon Φ Phi Ψ Psi Ω Omega × times ÷ div ± pm ∓ mp ⋅ cdot · cdot ∙ bullet • bullet ∘ circ ' +
    '⋆ star ⊕ oplus ⊖ ominus ⊗ otimes ⊘ oslash ⊙ odot ≤ le ≥ ge ≠ ne ≈ approx ≡ equiv ∼ sim ≃ simeq ' +
    '≅ cong ≍ asymp ∝ propto ≪ ll ≫ gg ≺ prec ≻ succ ≐ doteq ⊨ models → to ← leftarrow ' +
    '↔ leftrightarrow ⇒ Rightarrow ⇐ Leftarrow ⇔ Leftrightarrow ↑ uparrow ↓ downarrow ↦ mapsto ' +
    '⟶ longrightarrow ⟵ longleftarrow ⟹ Longrightarrow ⟸ Longleftarrow ⟺ Longleftrightarrow ↗ nearrow ' +
    '↘ searrow ⇌ rightleftharpoons ⇀ rightharpoonup ↪ hookrightarrow ↩ hookleftarrow ⇑ Uparrow ' +
    '⇓ Downarrow ↕ updownarrow ∈ in ∉ notin ∋ ni ⊂ subset ⊆ subseteq ⊃ supset ⊇ supseteq ' +
    '⊄ not\\subset ∪ cup ∩ cap ∖ setminus ∅ emptyset ⊎ uplus ∀ forall ∃ exists ∄ nexists ¬ neg ' +
    '∧ wedge ∨ vee ⊢ vdash ⊣ dashv ⊤ top ⊥ perp ∴ therefore ∵ because ∞ infty ∂ partial ∇ nabla ' +
    '√ surd ∛ sqrt[3]{} ∠ angle ∡ measuredangle △ triangle □ square ◊ lozenge ⋄ diamond ∑ sum ∏ prod ' +
    '∐ coprod ∫ int ∬ iint ∭ iiint ∮ oint ∯ oiint ⋃ bigcup ⋂ bigcap ⋁ bigvee ⋀ bigwedge ⨁ bigoplus ' +
    '⨂ bigotimes ⨀ bigodot ⨆ bigsqcup ⊔ sqcup ⊓ sqcap ⊑ sqsubseteq ⊒ sqsupseteq … dots ⋯ cdots ' +
    '⋮ vdots ⋱ ddots ⟨ langle ⟩ rangle 〈 langle 〉 rangle ⌊ lfloor ⌋ rfloor ⌈ lceil ⌉ rceil ‖ Vert ' +
    '∥ parallel ∦ nparallel ∣ mid ∤ nmid ⟦ llbracket ⟧ rrbracket ℏ hbar ℓ ell ℜ Re ℑ Im ℵ aleph ℘ wp ' +
    '† dagger ‡ ddagger § S ¶ P ≜ triangleq ≔ coloneqq ≲ lesssim ≳ gtrsim ⋉ ltimes ⋊ rtimes ⋈ bowtie ' +
    '♯ sharp ♭ flat ♮ natural',
);

/** Characters that are not written as a single command. */
const WRITTEN: ReadonlyMap<string, string> = pairs(
  '\\ \\backslash { \\{ } \\} $ \\$ # \\# % \\% & \\& ~ \\sim − - ‐ - ‑ - – - — - ∗ * ∕ / ⁄ / ' +
    "∶ : ′ ' ″ '' ‴ ''' ° ^{\\circ} º ^{\\circ} \u00a0 ~ \u2001 \\quad \u2003 \\quad " +
    '\u2002 \\; \u2004 \\; \u2005 \\: \u2009 \\, \u2006 \\, \u200a \\, \u202f \\, \u205f \\:',
);

/** Invisible operators and joiners, for line breaking and speech. */
const INVISIBLE = '\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff';

/** Alphabets of the block Mathematical Alphanumeric Symbols, 52 letters each; an empty name is the default alphabet. */
const ALPHABETS =
  'mathbf,,boldsymbol,mathcal,mathcal,mathfrak,mathbb,mathfrak,mathsf,mathsf,mathsf,mathsf,mathtt'.split(',');
const GREEK_ALPHABETS = ['boldsymbol', '', 'boldsymbol', 'boldsymbol', 'boldsymbol'];
const DIGIT_ALPHABETS = ['mathbf', 'mathbb', 'mathsf', 'mathsf', 'mathtt'];
const DOUBLE_STRUCK = 'ℂℍℕℙℚℝℤ';
const SCRIPT = 'ℬℰℱℋℐℒℳℛℊℯℴ';
const FRAKTUR = 'ℭℌℨ';

/** One character (a code point) as LaTeX; unchanged if there is no better form. A command has no trailing space. */
export function mathSymbol(char: string): string {
  if (INVISIBLE.includes(char)) return '';
  const written = WRITTEN.get(char);
  if (written !== undefined) return written;
  const name = NAMED.get(char);
  if (name !== undefined) return `\\${name}`;
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return char;
  if (DOUBLE_STRUCK.includes(char)) return `\\mathbb{${char.normalize('NFKC')}}`;
  if (SCRIPT.includes(char)) return `\\mathcal{${char.normalize('NFKC')}}`;
  if (FRAKTUR.includes(char)) return `\\mathfrak{${char.normalize('NFKC')}}`;
  if (code < 0x1d400 || code > 0x1d7ff) return char;
  const plain = char.normalize('NFKC');
  const base = plain === char ? char : mathSymbol(plain);
  const alphabet =
    code >= 0x1d7ce
      ? DIGIT_ALPHABETS[Math.floor((code - 0x1d7ce) / 10)]
      : code >= 0x1d6a8
        ? GREEK_ALPHABETS[Math.floor((code - 0x1d6a8) / 58)]
        : ALPHABETS[Math.floor((code - 0x1d400) / 52)];
  return alphabet ? `\\${alphabet}{${base}}` : base;
}

/** Accents, by the combining or spacing character used in Office and MathML. */
export const ACCENTS: ReadonlyMap<string, string> = pairs(
  '\u0302 hat ^ hat ˆ hat \u0303 tilde ~ tilde ˜ tilde \u0304 bar \u0305 overline ¯ bar ' +
    '‾ overline _ overline ⏞ overbrace \u20d7 vec → vec \u20d6 overleftarrow ← overleftarrow ' +
    '\u20e1 overleftrightarrow \u20d1 overset{\\rightharpoonup} \u20d0 overset{\\leftharpoonup} ' +
    '\u0307 dot ˙ dot \u0308 ddot ¨ ddot \u20db dddot \u20dc ddddot \u030c check ˇ check ' +
    '\u0306 breve ˘ breve \u0301 acute ´ acute \u0300 grave ` grave \u030a mathring ' +
    '\u0332 underline \u033f overline',
);

/** Words with a LaTeX command. */
export const FUNCTIONS: ReadonlySet<string> = new Set(
  words(
    'sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth exp log ln lg lim limsup liminf max min sup inf ' +
      'det dim ker deg gcd hom arg Pr',
  ),
);

/** Concatenates LaTeX, with a space only where a command would absorb the following letter. */
export function joinLatex(pieces: readonly string[]): string {
  const parts: string[] = [];
  let before = '';
  for (const piece of pieces) {
    if (piece === '') continue;
    if (/^[A-Za-z]/.test(piece) && /\\[A-Za-z]+$/.test(before.slice(-40))) parts.push(' ');
    parts.push(piece);
    before = piece;
  }
  return parts.join('');
}
