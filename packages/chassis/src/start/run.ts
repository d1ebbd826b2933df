import type { ServiceDefinition } from "../service.ts";
import { startService } from "./start.ts";
import { StartFault } from "./start-fault.ts";

/**
 * Runs one service as a program: starts it from the environment, stops it at SIGTERM or SIGINT, and exits 0
 * after it has drained. At SIGTERM the process first reports that it is not ready, so that a load balancer
 * stops sending requests. At SIGINT, from a terminal, it does not wait for that. If a signal arrives during
 * the start, it takes no work.
 */
export async function runService(service: ServiceDefinition): Promise<void> {
	// biome-ignore lint/style/noProcessEnv: settings are read once, here, and passed on as values
	const environment = process.env;
	const stopping = new AbortController();
	const starting = startService(service, { environment, signal: stopping.signal });
	let closing: Promise<void> | undefined;
	const stop = async (hasNotice: boolean) => {
		stopping.abort();
		// The error of the start is printed below.
		const running = await starting.catch(() => undefined);
		if (hasNotice) await running?.leave();
		closing ??= running?.close();
		await closing;
		process.exit(0);
	};
	process.on("SIGTERM", () => stop(true));
	process.on("SIGINT", () => stop(false));
	// A child process ends with its parent.
	process.on("disconnect", () => stop(false));
	try {
		await starting;
	} catch (error) {
		if (stopping.signal.aborted) return;
		process.stderr.write(`${whatWentWrong(service.name, error)}\n`);
		process.exit(1);
	}
}

/**
 * An operator corrects a StartFault, so it needs no stack trace. Any other error is a bug or a broken
 * machine.
 */
function whatWentWrong(name: string, error: unknown): string {
	if (error instanceof StartFault) return error.message;
	return `${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}
