// How a synthetic statement, invoice or register is set, and how it writes its numbers, chosen at random.

export function styleOf(of, kind, words) {
  const rules =
    kind === 'register'
      ? of.pick(['none', 'header', 'booktabs', 'full', 'lines', 'zebra'])
      : of.pick([
          'none',
          'none',
          'header',
          'numbers',
          'numbers',
          'booktabs',
          'full',
          'lines',
          'zebra',
          'uprights',
        ]);
  const grid = rules === 'full' || rules === 'uprights';
  return {
    rules,
    font: of.pick([
      'Liberation Sans',
      'DejaVu Sans',
      'DejaVu Serif',
      'DejaVu Sans Condensed',
      'DejaVu Serif Condensed',
    ]),
    size: of.between(6.5, 10.5),
    leading: of.between(1.1, 1.4),
    padX: of.between(0.35, 1.1),
    padY: kind === 'register' ? of.between(0.22, 0.6) : of.between(0.03, 0.45),
    width: of.chance(0.65) ? '100%' : of.chance(0.5) ? `${of.whole(70, 95)}%` : 'auto',
    labelWidth: of.chance(0.5) ? `${of.whole(28, 45)}%` : undefined,
    hanging: of.chance(0.3),
    indent: of.between(0.7, 1.8),
    vertical: of.pick(
      kind === 'statement' ? ['bottom', 'bottom', 'top', 'baseline'] : ['top', 'top', 'baseline'],
    ),
    align: of.chance(0.86) ? 'right' : of.pick(['center', 'left']),
    headAlign: of.pick(['right', 'right', 'center']),
    sign: grid ? of.pick(['none', 'same']) : of.pick(['none', 'none', 'same', 'own', 'own']),
    signRows: of.pick(['all', 'first', 'first']),
    currency: of.pick(words.currency),
    negative: of.pick(['brackets', 'brackets', 'minus']),
    closing: grid || !words.before ? 'same' : of.pick(['same', 'own']),
    minus: of.pick(['-', '\u2212', '\u2013']),
    nil: of.pick(['\u2014', '-', '\u2013', '']),
    boldTotals: of.chance(0.5),
    boldHead: of.chance(0.6),
    boldSections: of.chance(0.6),
    spacedSections: of.chance(0.5),
    repeatHead: of.chance(0.5),
    landscape: of.chance(0.12),
    paper: of.pick(['A4', 'letter']),
    margin: of.whole(14, 24),
  };
}

export function numberWriter(of, words, style) {
  const group = of.pick(words.group);
  return (most, decimals = 0, { signed = 0.15, nil = 0.06 } = {}) => {
    if (of.chance(nil)) return style.nil;
    const value = of.between(most / 900, most) * (of.chance(0.2) ? 0.02 : 1);
    const [whole, rest] = value.toFixed(decimals).split('.');
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, group);
    const text = rest === undefined ? grouped : `${grouped}${words.point}${rest}`;
    if (!of.chance(signed)) return text;
    return style.negative === 'brackets' ? `(${text})` : `${style.minus}${text}`;
  };
}
