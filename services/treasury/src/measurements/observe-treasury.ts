import { type Domain, observe } from "@lango/chassis";
import { type Measurements, measureTreasury } from "./measurement.store.ts";

/** Measurements that were read this long ago are read again. */
const keptMs = 5_000;
const gateways = ["mobile_money", "card_gateway"] as const;
const outcomes = ["ended", "open"] as const;

/** Counts what happens in this process. */
export type Counts = {
	/** A webhook without a valid signature. */
	refused(gateway: (typeof gateways)[number]): void;
	/** A question to a gateway about an attempt. */
	queried(outcome: (typeof outcomes)[number]): void;
};

/** Reports what operators watch of webhooks, attempts and gateways. */
export function observeTreasury(
	{ db, meter, now }: Pick<Domain, "db" | "meter" | "now">,
	openBreakers: ReadonlySet<string>,
): Counts {
	let read: { at: number; result: Promise<Measurements> } | undefined;
	const measured = () => {
		const at = now().getTime();
		if (read === undefined || at - read.at >= keptMs) read = { at, result: measureTreasury(db) };
		return read.result;
	};
	const secondsSince = (time: Date | undefined) =>
		time === undefined ? 0 : Math.max(0, (now().getTime() - time.getTime()) / 1000);
	observe(meter, "lango.webhooks.unapplied_age", async () => [
		{ value: secondsSince((await measured()).unappliedSince) },
	]);
	observe(meter, "lango.webhooks.parked", async () => {
		const { parked } = await measured();
		return gateways.map((one) => ({ value: parked[one] ?? 0, attributes: { "lango.gateway": one } }));
	});
	observe(meter, "lango.attempts.unknown_age", async () => [
		{ value: secondsSince((await measured()).unknownSince) },
	]);
	observe(meter, "lango.gateway.breakers_open", () => [{ value: openBreakers.size }]);
	const refused = counterOf(gateways);
	observe(meter, "lango.webhooks.refused", () =>
		gateways.map((one) => ({ value: refused.of(one), attributes: { "lango.gateway": one } })),
	);
	const queried = counterOf(outcomes);
	observe(meter, "lango.attempts.queries", () =>
		outcomes.map((one) => ({ value: queried.of(one), attributes: { "lango.query.outcome": one } })),
	);
	return { refused: refused.add, queried: queried.add };
}

function counterOf<T extends string>(names: readonly T[]) {
	const counts = new Map<T, number>(names.map((name) => [name, 0]));
	return {
		add: (name: T): void => void counts.set(name, (counts.get(name) ?? 0) + 1),
		of: (name: T): number => counts.get(name) ?? 0,
	};
}
