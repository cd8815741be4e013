type ProgressBarProps = {
  /** 0..1; null when nothing believable is known. */
  readonly share: number | null
  readonly label: string
  readonly class?: string
}

export function ProgressBar({ share, label, class: more }: ProgressBarProps) {
  const known = share === null ? {} : { value: Math.min(1, Math.max(0, share)) }
  // A bar that loses its value needs to be a new one: the attribute is what makes it unknown.
  return (
    <progress key={share === null ? 'unknown' : 'known'} class={more} aria-label={label} max={1} {...known} />
  )
}
