import './progress-bar.css'

export function ProgressBar(props: {
  /** 0..1; null if unknown. */
  readonly share: number | null
  readonly label: string
  readonly class?: string
}) {
  const { share, label, class: more } = props
  const known = share === null ? {} : { value: Math.min(1, Math.max(0, share)) }
  // A bar that becomes indeterminate needs a new element, because removing `value` isn't enough.
  return (
    <progress key={share === null ? 'unknown' : 'known'} class={more} aria-label={label} max={1} {...known} />
  )
}
