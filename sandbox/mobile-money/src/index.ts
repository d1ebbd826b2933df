export { demoAccounts } from "./accounts/demo.ts";
export {
	defaultPort,
	type MobileMoneySandbox,
	type SandboxOptions,
	startMobileMoneySandbox,
} from "./start-sandbox.ts";
