import { ClientError, listItems, listPage } from "@lango/client";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";

/** An event that a service could not apply. */
export type DeadLetter = {
	id: string;
	type: string;
	event_id: string | null;
	subject: string | null;
	reason: string;
	attempts: number;
	received_at: string;
	dead_at: string;
	waiting: number;
	body: string;
};

/** A job that failed after all attempts. */
export type DeadJob = {
	id: string;
	job: string;
	about: string | null;
	reason: string;
	tries: number;
	died_at: string;
};

export type FailureKind = "dead-letters" | "dead-jobs";

/** A service by name, with its address. */
export type Service = { name: string; url: string };

const countedMax = 100;
const redrivenMax = 1_000;

/** All services of this installation. */
export function servicesOf({ settings }: Platform): Service[] {
	const { authUrl, subscriptionsUrl, services } = settings;
	const others = Object.entries(services).map(([name, url]) => ({ name, url }));
	return [{ name: "auth", url: authUrl }, { name: "subscriptions", url: subscriptionsUrl }, ...others];
}

export const failuresKey = (service: string) => ["failures", service];
export const failuresAddress = ({ url }: Service, kind: FailureKind) => `${url}/api/v1/platform/${kind}`;

/** The number of failures of a service, at most a hundred of each kind. `isMore` if there are more. */
export type Count = {
	count: number;
	isMore: boolean;
	/** The kinds that the service has. One that consumes no events responds 404. */
	kinds: readonly FailureKind[];
};

/** Services without jobs. They refuse a request for failed jobs, which browsers log as an error. */
export const withoutJobs: ReadonlySet<string> = new Set(["hospital", "inventory", "marketflow", "projects"]);

export function countQuery(platform: Platform, service: Service) {
	return queryOptions({
		queryKey: [...failuresKey(service.name), "count"],
		queryFn: async ({ signal }): Promise<Count> => {
			const kinds: FailureKind[] = ["dead-letters"];
			if (!withoutJobs.has(service.name)) kinds.push("dead-jobs");
			const pages = await Promise.all(kinds.map((kind) => firstPage(platform, { service, kind, signal })));
			const found = pages.filter((page) => page !== undefined);
			return {
				count: found.reduce((sum, { items }) => sum + items.length, 0),
				isMore: found.some(({ next_cursor }) => next_cursor !== null),
				kinds: kinds.filter((_, index) => pages[index] !== undefined),
			};
		},
	});
}

type PageRequest = { service: Service; kind: FailureKind; signal: AbortSignal };

/** The first page of a list; undefined if the service does not have it. */
async function firstPage({ client }: Platform, { service, kind, signal }: PageRequest) {
	try {
		const query = { limit: countedMax };
		return await listPage<unknown>(client, failuresAddress(service, kind), { query, signal });
	} catch (error) {
		if (error instanceof ClientError && error.status === 404) return undefined;
		throw error;
	}
}

type One = { service: Service; kind: FailureKind; id: string };

/**
 * Retries one failure. `redriven` is false if the job was discarded because another one does the same work.
 */
export function redrive({ client }: Platform, { service, kind, id }: One): Promise<{ redriven: boolean }> {
	const address = `${failuresAddress(service, kind)}/${encodeURIComponent(id)}/redrive`;
	return client.call(address, { method: "POST" });
}

/** Discards an event: it is never applied. */
export function discard({ client }: Platform, service: Service, id: string): Promise<unknown> {
	const address = `${failuresAddress(service, "dead-letters")}/${encodeURIComponent(id)}`;
	return client.call(address, { method: "DELETE" });
}

/**
 * Retries all failures of a kind one after the other, oldest first, and reports the progress. A failure
 * that was retried or discarded in the meantime is skipped. Throws the first error; earlier retries are
 * kept.
 */
export async function redriveAll(
	platform: Platform,
	{ service, kind }: Omit<One, "id">,
	onProgress: (done: number, all: number) => void,
): Promise<number> {
	const ids: string[] = [];
	const address = failuresAddress(service, kind);
	for await (const { id } of listItems<{ id: string }>(platform.client, address, { itemsMax: redrivenMax }))
		ids.push(id);
	for (const [index, id] of ids.entries()) {
		onProgress(index, ids.length);
		try {
			await redrive(platform, { service, kind, id });
		} catch (error) {
			if (!(error instanceof ClientError) || error.status !== 404) throw error;
		}
	}
	return ids.length;
}
