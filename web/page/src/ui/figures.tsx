export function Bar({part, whole, label}: {part: number; whole: number; label: string}) {
  const width = whole === 0 ? 0 : Math.round((1000 * part) / whole) / 10;
  return (
    <span class="bar" role="img" aria-label={label}>
      <span style={{width: `${width}%`}} />
    </span>
  );
}

export function FigureList({figures}: {figures: [name: string, value: string][]}) {
  return (
    <dl class="figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
