import { setTimeout as sleep } from "node:timers/promises";
import { type Clock, postWebhook } from "@lango/sandbox-base";
import type { ReportPlan } from "../faults/fault.ts";
import { isTaken, type ReportAddress, type Taken, type Vendor } from "../providers/vendor.ts";
import type { Arrival, Kind, ReportStatus } from "../record/arrival.ts";
import type { Records } from "../record/records.ts";

/** Addresses of webhooks by kind, as an account at the vendor has them. */
type ReportAddresses = Partial<Record<Kind, ReportAddress>>;

type Plan = ReportPlan & { to?: ReportAddress | undefined };

/** Sends what the providers report about the messages they took. */
export type Reports = {
	/** Plans the reports of a message. They go to `to`, else to the address of the vendor's account. */
	plan(vendor: Vendor, arrival: Arrival, plan: Plan): void;
	addresses(): ReportAddresses;
	setAddresses(addresses: ReportAddresses): void;
	/** Ends every plan so far. */
	end(): void;
};

type Step = { status: ReportStatus; to?: ReportAddress; signal: AbortSignal };

/** Messages whose reports are not yet finished; those of further messages are left out. */
const openMax = 20_000;
/** Pauses before the second and the third attempt. */
const pausesMs = [1_000, 5_000];
const timeoutMs = 5_000;

/** Reports of one sandbox. The first one of a message follows `afterMs` after its answer. */
export function createReports({
	records,
	clock,
	afterMs,
}: {
	records: Records;
	clock: Clock;
	afterMs: number;
}): Reports {
	let ending = new AbortController();
	let addresses: ReportAddresses = {};
	let open = 0;
	/** Sends one report and notes what became of it. */
	const report = async (vendor: Vendor, taken: Taken, step: Step) => {
		const { status, to, signal } = step;
		const at = clock.now();
		const webhook = to === undefined ? undefined : vendor.report?.({ ...{ status, taken, at, to }, to });
		const event = { status, at: at.toISOString() };
		if (to === undefined || webhook === undefined)
			return records.addEvent(taken.id, { ...event, url: null, answered: null, attempts: 0 });
		const target = { url: to.url, pausesMs, timeoutMs, signal };
		const { answered, attempts } = await postWebhook(target, webhook);
		records.addEvent(taken.id, { ...event, url: withoutQuery(to.url), answered, attempts });
	};
	const run = async (vendor: Vendor, taken: Taken, { signal, ...plan }: Plan & Pick<Step, "signal">) => {
		await sleep(plan.after_ms ?? afterMs, undefined, { signal });
		const found = plan.to ?? addresses[vendor.kind];
		const to = found !== undefined && plan.wrong_signature === true ? spoil(found) : found;
		for (const status of statusesOf(plan, vendor))
			await report(vendor, taken, { status, signal, ...(to !== undefined && { to }) });
	};
	return {
		plan(vendor, arrival, plan) {
			if (!isTaken(arrival)) return;
			if (open >= openMax)
				return void process.stderr.write(`Message ${arrival.id} gets no reports: too many are due.\n`);
			open += 1;
			const { signal } = ending;
			run(vendor, arrival, { ...plan, signal })
				.catch((error: Error) => {
					if (!signal.aborted) process.stderr.write(`${error.stack}\n`);
				})
				.finally(() => {
					open -= 1;
				});
		},
		addresses: () => addresses,
		setAddresses: (replacing) => {
			addresses = replacing;
		},
		end: () => {
			ending.abort();
			ending = new AbortController();
		},
	};
}

/** The statuses to report, in the order of the plan, each as often as it says. */
function statusesOf({ status, times = 1, order }: Plan, { lastStatus }: Vendor): ReportStatus[] {
	const statuses = statusesTo(status ?? lastStatus);
	const ordered = order === "reversed" ? statuses.toReversed() : statuses;
	return ordered.flatMap((one) => Array.from({ length: times }, () => one));
}

/** The statuses that lead to the last one, in order. */
function statusesTo(last: ReportStatus | "none"): ReportStatus[] {
	if (last === "none") return [];
	if (last === "sent" || last === "bounced" || last === "soft_bounced") return [last];
	if (last === "read") return ["sent", "delivered", "read"];
	return last === "complained" ? ["sent", "delivered", "complained"] : ["sent", last];
}

/** The address with a wrong secret, or a wrong token where the vendor does not sign. */
function spoil({ url, secret }: ReportAddress): ReportAddress {
	if (secret !== undefined) return { url, secret: `${secret}-wrong` };
	const spoiled = new URL(url);
	spoiled.searchParams.set("token", "wrong");
	return { url: spoiled.toString() };
}

/** Queries of webhooks contain tokens, and are not shown. */
const withoutQuery = (url: string) => url.replace(/\?.*$/s, "");
