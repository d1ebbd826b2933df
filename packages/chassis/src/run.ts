import { inProcessTransport } from "@lango/events";
import type { ServiceDefinition } from "./service.ts";
import { SettingsError } from "./settings.ts";
import { startService } from "./start.ts";

/** Runs one service as a program: starts it from the environment, stops it at SIGTERM or SIGINT, exits 0 when it has drained. */
export async function runService(service: ServiceDefinition): Promise<void> {
	const transport = inProcessTransport();
	try {
		// biome-ignore lint/style/noProcessEnv: a program reads its settings here, once, and hands them down as values
		const running = await startService(service, { environment: process.env, transport });
		let stopping = false;
		const stop = async () => {
			if (stopping) return;
			stopping = true;
			await running.close();
			await transport.close();
			process.exit(0);
		};
		process.on("SIGTERM", stop);
		process.on("SIGINT", stop);
	} catch (error) {
		const told = error instanceof SettingsError || process.env.NODE_ENV === "production" ? (error as Error).message : error;
		process.stderr.write(`${service.name}: ${told instanceof Error ? (told.stack ?? told.message) : told}\n`);
		process.exit(1);
	}
}
