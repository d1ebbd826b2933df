import { startService } from "@lango/chassis";
import { inProcessTransport } from "@lango/events";
import { treasury } from "../../src/service.ts";

/**
 * The treasury as a program, with a clock that the process of the storm moves. It ends with that process, and
 * at any moment by kill -9.
 */
const environment = process.env;
let aheadMs = Number(environment["STORM_AHEAD_MS"]);
process.on("message", (message: { aheadMs: number }) => {
	({ aheadMs } = message);
	process.send?.(message);
});
process.on("disconnect", () => process.exit(0));
await startService(treasury, {
	...{ environment, transport: inProcessTransport() },
	now: () => new Date(Date.now() + aheadMs),
});
process.send?.({ aheadMs });
