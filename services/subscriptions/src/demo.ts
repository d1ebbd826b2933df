import type { Database } from "@lango/postgres";
import { seedCatalogue } from "./catalogue/seed-catalogue.ts";
import {
	changeBoundaries,
	type NewSubscription,
	recordSubscription,
	type SeededBoundaries,
} from "./demo.store.ts";
import { stateAt } from "./rules/lifecycle/state.ts";
import { findSubscription } from "./snapshots/snapshot.store.ts";

export type DemoTenants = { tenants: ReadonlyArray<{ slug: string; id: string }>; now: Date };

type Demo = Pick<NewSubscription, "plan" | "addOns" | "isRenewed"> & {
	slug: string;
	boundaries: (now: Date) => SeededBoundaries;
	/** Extended at a start that finds fewer days left; absent: it has ended and stays so. */
	renewedWhenDaysLeft?: number;
};

/** The demo tenants. The platform owner has no subscription and is not listed. */
const demos: readonly Demo[] = [
	{
		slug: "uhai",
		plan: "PROFESSIONAL",
		addOns: ["whatsapp"],
		isRenewed: true,
		boundaries: (now) => paid(now, 365),
		renewedWhenDaysLeft: 180,
	},
	{
		slug: "kahawa",
		plan: "STARTER",
		addOns: ["pos"],
		isRenewed: true,
		boundaries: onTrial,
		renewedWhenDaysLeft: 7,
	},
	{
		slug: "duka",
		plan: "GROWTH",
		addOns: [],
		isRenewed: false,
		boundaries: (now) => paid(daysAfter(now, -120), 30),
	},
];

/**
 * Gives the demo tenants their subscriptions (development only), and extends ACTIVE and TRIAL ones before
 * they end, so that an old demo still works. Changes made by users are kept.
 */
export async function seedDemoSubscriptions(db: Database, { tenants, now }: DemoTenants): Promise<void> {
	await seedCatalogue(db);
	for (const demo of demos) {
		const tenant = tenants.find(({ slug }) => slug === demo.slug);
		if (tenant !== undefined) await seedOne(db, { tenantId: tenant.id, demo, now });
	}
}

async function seedOne(
	db: Database,
	{ tenantId, demo, now }: { tenantId: string; demo: Demo; now: Date },
): Promise<void> {
	const { plan, addOns, isRenewed, renewedWhenDaysLeft } = demo;
	const boundaries = demo.boundaries(now);
	if (await recordSubscription(db, { tenantId, plan, addOns, isRenewed, ...boundaries })) return;
	const record = await findSubscription(db, tenantId);
	if (record === undefined || renewedWhenDaysLeft === undefined) return;
	const isAsSeeded =
		record.plan.code === plan && (record.periodEndsAt === null) === (boundaries.period === null);
	if (!isAsSeeded || stateAt(record, now).endsAt >= daysAfter(now, renewedWhenDaysLeft)) return;
	await changeBoundaries(db, { tenantId, version: record.version, ...boundaries });
}

const trialDays = 14;
const graceDays = 7;
const retryDays = 14;

function onTrial(now: Date): SeededBoundaries {
	const endsAt = daysAfter(now, trialDays);
	return {
		trial: { startedAt: now, endsAt },
		period: null,
		expiresAt: endsAt,
		graceUntil: daysAfter(endsAt, graceDays),
	};
}

function paid(startedAt: Date, days: number): SeededBoundaries {
	const endsAt = daysAfter(startedAt, days);
	const expiresAt = daysAfter(endsAt, retryDays);
	return {
		trial: null,
		period: { startedAt, endsAt },
		expiresAt,
		graceUntil: daysAfter(expiresAt, graceDays),
	};
}

function daysAfter(date: Date, days: number): Date {
	return new Date(date.getTime() + days * 86_400_000);
}
