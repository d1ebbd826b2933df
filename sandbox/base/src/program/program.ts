type Environment = Readonly<Record<string, string | undefined>>;

/** Reads a port from a setting; throws if it is not one. */
export function portOf(env: Environment, name: string, otherwise: number): number {
	const value = env[name];
	if (value === undefined || value === "") return otherwise;
	const port = Number(value);
	if (!Number.isInteger(port) || port < 0 || port > 65_535)
		throw new Error(`${name} is not a port: ${value}`);
	return port;
}

type Program = {
	/** As in "The sandbox of message providers". */
	name: string;
	env: Environment;
	/** Starts it, and returns what to print. */
	start(): Promise<{ banner: string; stop(): Promise<void> }>;
};

/** Runs a sandbox as a program until SIGINT or SIGTERM. Ends with 1 if `NODE_ENV` is `production`. */
export async function runProgram({ name, env, start }: Program): Promise<void> {
	if (env["NODE_ENV"] === "production") {
		process.stderr.write(`${name} must not run in production (NODE_ENV).\n`);
		process.exitCode = 1;
		return;
	}
	const { banner, stop } = await start();
	process.stdout.write(`${banner}\n`);
	for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop());
}
