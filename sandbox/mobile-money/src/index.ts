export { demoAccounts } from "./accounts/demo.ts";
export { makeKeyPair } from "./requests/key-pair.ts";
export {
	defaultPort,
	type MobileMoneySandbox,
	type SandboxOptions,
	startMobileMoneySandbox,
} from "./start-sandbox.ts";
