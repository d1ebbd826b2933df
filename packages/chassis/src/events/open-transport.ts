import { inProcessTransport, natsTransport, type Transport } from "@lango/events";
import type { Logger } from "../observe/observe.ts";

export type BusSettings = { natsUrl: string | undefined; natsReplicas: number; natsStreamBytesMax: number };

/**
 * Opens the transport of this process's events: the bus of `NATS_URL`, or one within the process if it is
 * unset. Throws an Error for an invalid address. An unreachable bus is retried.
 */
export function openTransport(
	{ natsUrl, natsReplicas, natsStreamBytesMax }: BusSettings,
	{ name, log }: { name: string; log: Logger },
): Transport {
	if (natsUrl === undefined) return inProcessTransport();
	const onError = (err: unknown, about: string) =>
		log.warn({ err, about }, "bus unavailable: check NATS_URL and the server");
	return natsTransport({
		url: natsUrl,
		name,
		replicas: natsReplicas,
		streamBytesMax: natsStreamBytesMax,
		onError,
	});
}
