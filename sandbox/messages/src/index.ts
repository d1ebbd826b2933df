export { countSegments } from "./record/text.ts";
export {
	defaultPort,
	defaultSmtpPort,
	type MessagesSandbox,
	type SandboxOptions,
	startMessagesSandbox,
} from "./start-sandbox.ts";
