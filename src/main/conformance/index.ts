export { checkService, type Checked, type CheckOptions, type CheckResult } from './check-service.ts'
