import { setTimeout as sleep } from "node:timers/promises";
import type { WebhookRequest } from "../providers/vendor.ts";

/** Pauses before the second and the third attempt. */
const pausesMs = [1_000, 5_000];
const timeoutMs = 5_000;

/**
 * Posts a webhook until it is answered 2xx, at most three times. Returns the last answer, null if there was none.
 * Rejects when `signal` aborts.
 */
export async function postWebhook(
	url: string,
	{ headers, body }: WebhookRequest,
	signal: AbortSignal,
): Promise<{ answered: number | null; attempts: number }> {
	for (let attempts = 1; ; attempts += 1) {
		const answered = await post(url, { headers, body, signal });
		const pause = pausesMs[attempts - 1];
		const isDone = answered !== null && answered >= 200 && answered < 300;
		if (isDone || pause === undefined) return { answered, attempts };
		await sleep(pause, undefined, { signal });
	}
}

async function post(
	url: string,
	{ headers, body, signal }: WebhookRequest & { signal: AbortSignal },
): Promise<number | null> {
	try {
		const response = await fetch(url, {
			...{ method: "POST", headers, body, redirect: "manual" as const },
			signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
		});
		await response.body?.cancel();
		return response.status;
	} catch (error) {
		if (signal.aborted) throw error;
		return null;
	}
}
