import { defaultPort, defaultSmtpPort, startMessagesSandbox } from "./start-sandbox.ts";

/** Settings are read once, here, and passed on as values. */
const { env } = process;

/** Reads a port; throws if it is not one. */
function portOf(name: string, otherwise: number): number {
	const value = env[name];
	if (value === undefined || value === "") return otherwise;
	const port = Number(value);
	if (!Number.isInteger(port) || port < 0 || port > 65_535)
		throw new Error(`${name} is not a port: ${value}`);
	return port;
}

if (env["NODE_ENV"] === "production") {
	process.stderr.write("The sandbox of message providers must not run in production (NODE_ENV).\n");
	process.exit(1);
}

const { SANDBOX_SEED: seed, SANDBOX_TRUTH_FILE: truthFile, SANDBOX_HOST: host } = env;
const sandbox = await startMessagesSandbox({
	port: portOf("SANDBOX_PORT", defaultPort),
	smtpPort: portOf("SANDBOX_SMTP_PORT", defaultSmtpPort),
	...(host && { host }),
	...(seed && { seed }),
	...(truthFile && { truthFile }),
});
process.stdout.write(`Inbox: ${sandbox.url}  SMTP: port ${sandbox.smtpPort}\n`);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void sandbox.stop());
