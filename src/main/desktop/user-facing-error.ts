/** An error whose message is shown to the user. Other errors are logged, and the page receives no details. */
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
