/**
 * Runs loops that depend on each other. When one fails, `onFailure` must make the others end; only when all have ended,
 * and nothing is in use any more, does the first failure come out.
 */
export async function together(
  loops: readonly Promise<void>[],
  onFailure: (reason: unknown) => void,
): Promise<void> {
  let first: { readonly reason: unknown } | undefined
  const watched = loops.map((loop) =>
    loop.catch((reason: unknown) => {
      if (first !== undefined) return
      first = { reason }
      onFailure(reason)
    }),
  )
  await Promise.all(watched)
  if (first !== undefined) throw first.reason
}
