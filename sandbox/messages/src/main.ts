import { portOf, runProgram } from "@lango/sandbox-base";
import { defaultPort, defaultSmtpPort, startMessagesSandbox } from "./start-sandbox.ts";

/** Settings are read once, here, and passed on as values. */
const { env } = process;
const { SANDBOX_SEED: seed, SANDBOX_TRUTH_FILE: truthFile, SANDBOX_HOST: host } = env;

await runProgram({
	name: "The sandbox of message providers",
	env,
	start: async () => {
		const sandbox = await startMessagesSandbox({
			port: portOf(env, "SANDBOX_PORT", defaultPort),
			smtpPort: portOf(env, "SANDBOX_SMTP_PORT", defaultSmtpPort),
			...(host && { host }),
			...(seed && { seed }),
			...(truthFile && { truthFile }),
		});
		const banner = `Inbox: ${sandbox.url}  SMTP: port ${sandbox.smtpPort}`;
		return { banner, stop: () => sandbox.stop() };
	},
});
