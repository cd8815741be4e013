/** The sign of the app: a photo above the tray. */
export function AppMark() {
  return (
    <svg class="mark app-mark" viewBox="100 100 824 824" aria-hidden="true">
      <rect class="ground" x="100" y="100" width="824" height="824" rx="186" />
      <rect class="photo" x="382" y="250" width="260" height="260" rx="44" />
      <path
        class="hill"
        d="M420 452l72-92a18 18 0 0 1 28 0l34 43 20-24a18 18 0 0 1 28 0l30 37v32a24 24 0 0 1-24 24H444a24 24 0 0 1-24-20z"
      />
      <circle class="hill" cx="586" cy="322" r="26" />
      <path class="u" d="M216 478h76v160a92 92 0 0 0 92 92h256a92 92 0 0 0 92-92V478h76" />
    </svg>
  )
}
