import { type Domain, histogram, observe } from "@lango/chassis";
import { exceptionClasses } from "../exceptions/exception.ts";
import { estimateFee, type FeeChannel } from "../fees/fee.ts";
import type { SpoolState } from "../inbox/spool.ts";
import { certificateLeft } from "./certificate-left.ts";
import { type Measurements, measureTreasury } from "./measurement.store.ts";

/** Measurements that were read this long ago are read again. */
const keptMs = 5_000;
const gateways = ["mobile_money", "card_gateway"] as const;
const outcomes = ["ended", "open"] as const;
const unknownAges = [
	["attempt", "lango.attempts.unknown_age"],
	["payout", "lango.payouts.unknown_age"],
	["refund", "lango.refunds.unknown_age"],
] as const;

/** How a payment became known. */
type Known = { gateway: (typeof gateways)[number]; by: "delivery" | "query"; paidAt: Date };

/** What the card gateway keeps of a charge, as an event of the charge or a settlement says. */
type Charged = {
	by: "charge" | "settlement";
	channel: FeeChannel;
	currency: string;
	amountMinor: bigint;
	feeMinor: bigint;
};

/** Counts what happens in this process. */
export type Counts = {
	/** A webhook without a valid signature or token. */
	refused(gateway: (typeof gateways)[number]): void;
	/** Webhooks that came before. */
	repeated(howMany: number): void;
	/** A question to a gateway about an attempt. */
	queried(outcome: (typeof outcomes)[number]): void;
	/** A payment that was applied now. */
	confirmed(known: Known): void;
	/** A charge whose fee is known now. */
	charged(charged: Charged): void;
};

/** Reports what operators watch of webhooks, attempts, exceptions and gateways. */
export function observeTreasury(
	{ db, meter, now }: Pick<Domain, "db" | "meter" | "now">,
	openBreakers: ReadonlySet<string>,
): Counts {
	let read: { at: number; result: Promise<Measurements> } | undefined;
	const measured = () => {
		const at = now().getTime();
		if (read === undefined || at - read.at >= keptMs) read = { at, result: measureTreasury(db, now()) };
		return read.result;
	};
	const secondsSince = (time: Date | undefined) =>
		time === undefined ? 0 : Math.max(0, (now().getTime() - time.getTime()) / 1000);
	observe(meter, "lango.webhooks.unapplied_age", async () => [
		{ value: secondsSince((await measured()).unappliedSince) },
	]);
	observe(meter, "lango.webhooks.parked", async () => {
		const { parked } = await measured();
		return gateways.map((gateway) => ({
			value: parked.find((one) => one.gateway === gateway)?.found ?? 0,
			attributes: { "lango.gateway": gateway },
		}));
	});
	observe(meter, "lango.webhooks.parked_age", async () => [
		{ value: secondsSince((await measured()).parkedSince) },
	]);
	observe(meter, "lango.exceptions.open", async () => {
		const { exceptions } = await measured();
		return exceptionClasses.map((one) => ({
			value: exceptions.get(one) ?? 0,
			attributes: { "lango.exception.class": one },
		}));
	});
	observe(meter, "lango.gateway.certificate_left", async () => {
		const { certificate } = await measured();
		const value = certificate === undefined ? undefined : certificateLeft(certificate, now());
		return value === undefined ? [] : [{ value }];
	});
	for (const [kind, name] of unknownAges)
		observe(meter, name, async () => [{ value: secondsSince((await measured()).unresolvedSince[kind]) }]);
	observe(meter, "lango.refunds.review", async () => [{ value: (await measured()).refundsToReview }]);
	observe(meter, "lango.disputes.due", async () => [{ value: (await measured()).disputesDue }]);
	observe(meter, "lango.gateway.breakers_open", () => [{ value: openBreakers.size }]);
	const refused = counterOf(gateways);
	observe(meter, "lango.webhooks.refused", () =>
		gateways.map((one) => ({ value: refused.of(one), attributes: { "lango.gateway": one } })),
	);
	const queried = counterOf(outcomes);
	observe(meter, "lango.attempts.queries", () =>
		outcomes.map((one) => ({ value: queried.of(one), attributes: { "lango.query.outcome": one } })),
	);
	let repeated = 0;
	observe(meter, "lango.webhooks.duplicates", () => [{ value: repeated }]);
	const delays = histogram(meter, "lango.payments.confirmation_delay");
	const estimated = sumBy(meter, "lango.fees.estimated");
	const kept = sumBy(meter, "lango.fees.charged");
	return {
		...{ refused: refused.add, queried: queried.add },
		confirmed: ({ gateway, by, paidAt }) =>
			delays.record(secondsSince(paidAt), { "lango.gateway": gateway, "lango.evidence.source": by }),
		charged: ({ amountMinor, feeMinor, ...about }) => {
			estimated(about, estimateFee(amountMinor, about.channel));
			kept(about, feeMinor);
		},
		repeated: (howMany) => {
			repeated += howMany;
		},
	};
}

/** Reports what waits in the spool of this process. */
export function observeSpool(
	{ meter, now }: Pick<Domain, "meter" | "now">,
	measureSpool: () => Promise<SpoolState>,
): void {
	observe(meter, "lango.webhooks.spooled", async () => {
		const { waiting, aside } = await measureSpool();
		return Object.entries({ waiting, aside }).map(([state, value]) => ({
			value,
			attributes: { "lango.spool.state": state },
		}));
	});
	observe(meter, "lango.webhooks.spooled_age", async () => {
		const { waitingSince = now() } = await measureSpool();
		return [{ value: Math.max(0, (now().getTime() - waitingSince.getTime()) / 1000) }];
	});
}

function counterOf<T extends string>(names: readonly T[]) {
	const counts = new Map<T, number>(names.map((name) => [name, 0]));
	return {
		add: (name: T): void => void counts.set(name, (counts.get(name) ?? 0) + 1),
		of: (name: T): number => counts.get(name) ?? 0,
	};
}

/** Sums amounts by how they were said, channel and currency. */
function sumBy(meter: Domain["meter"], name: "lango.fees.estimated" | "lango.fees.charged") {
	const sums = new Map<string, { value: number; attributes: Record<string, string> }>();
	observe(meter, name, () => [...sums.values()]);
	return ({ by, channel, currency }: Omit<Charged, "amountMinor" | "feeMinor">, minor: bigint): void => {
		const attributes = { "lango.fee.said_by": by, "lango.channel": channel, "lango.currency": currency };
		const key = JSON.stringify(attributes);
		sums.set(key, { attributes, value: (sums.get(key)?.value ?? 0) + Number(minor) });
	};
}
