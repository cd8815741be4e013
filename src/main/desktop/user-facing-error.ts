/** An error that is meant to be read by a person; anything else is logged and crosses to the page without its details. */
export class UserFacingError extends Error {
  override readonly name = 'UserFacingError'
  readonly code: string
  readonly hint: string | null

  constructor(code: string, message: string, hint: string | null = null) {
    super(message)
    this.code = code
    this.hint = hint
  }
}
