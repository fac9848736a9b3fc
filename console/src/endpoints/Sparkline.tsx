const size = { width: 72, height: 18, gap: 1 };

interface SparklineProps {
  readonly values: readonly number[];
  readonly label: string;
}

/** Small bars from zero; any count is seen. */
export function Sparkline({ values, label }: SparklineProps) {
  const most = Math.max(1, ...values);
  const width = size.width / Math.max(values.length, 1);
  return (
    <svg className="sparkline" width={size.width} height={size.height} role="img" aria-label={label}>
      {values.map((value, index) => {
        const height = value === 0 ? 0 : Math.max(2, (value / most) * size.height);
        const key = `${index}`;
        return <rect key={key} x={index * width} y={size.height - height} width={width - size.gap} height={height} />;
      })}
    </svg>
  );
}
