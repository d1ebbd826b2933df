import type { Route } from "@lango/chassis";
import { billingIntervals, Name, products } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import Type from "typebox";
import { failures } from "../failures.ts";
import {
	addAddOn,
	addAddOnVersion,
	addPlan,
	addPlanVersion,
	listAddOnVersions,
	listPlanVersions,
	listUnknownCodes,
} from "./version.store.ts";
import { versionedRoutes } from "./version-admin.routes.ts";

const PlanCode = Type.String({ pattern: "^[A-Z][A-Z0-9_]{1,62}$" });
const Code = Type.String({ pattern: "^[a-z][a-z0-9_]{1,62}$" });
const closed = { additionalProperties: false };
const Count = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });
const LimitValue = Type.Integer({ minimum: -1, maximum: 2_147_483_647 });
/** A price of 0 is not overage: raise the limit instead. */
const UnitPrice = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

const price = {
	price_minor: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
	currency: Type.String({ pattern: "^[A-Z]{3}$" }),
	interval: Type.Enum(billingIntervals, { type: "string" }),
};
const features = Type.Array(Code, { maxItems: 100, uniqueItems: true });

const Plan = Type.Object(
	{ code: PlanCode, name: Name(100), position: Type.Integer({ minimum: 0, maximum: 999_999_999 }) },
	closed,
);
const AddOn = Type.Object({ code: Code, name: Name(100) }, closed);

const PlanVersion = Type.Object(
	{
		bundle: Code,
		...price,
		trial_days: Type.Integer({ minimum: 0, maximum: 365 }),
		grace_days: Type.Integer({ minimum: 0, maximum: 365 }),
		features,
		limits: Type.Record(Code, LimitValue, { maxProperties: 100 }),
		overage: Type.Record(Code, Type.Object({ unit_price_minor: UnitPrice, cap: Count }, closed), {
			maxProperties: 100,
			description: "The price of one unit beyond the limit, and the maximum number of units",
		}),
	},
	closed,
);
const AddOnVersion = Type.Object(
	{
		...price,
		products: Type.Array(Type.Enum(products, { type: "string" }), { maxItems: 100, uniqueItems: true }),
		features,
		limits: Type.Record(Code, LimitValue, {
			maxProperties: 100,
			description: "Added to the limits of the plan; -1 makes the limit unlimited",
		}),
	},
	closed,
);

/** Manages plans, for the platform owner. */
export const planAdminRoutes = (parts: { db: Database; now: () => Date }): readonly Route[] =>
	versionedRoutes(parts, {
		kind: "plan",
		url: "/api/v1/admin/plans",
		name: "a plan",
		Code: PlanCode,
		Item: Plan,
		Version: PlanVersion,
		Listed: PlanVersion,
		exists: failures.plan_exists,
		notFound: failures.plan_not_found,
		versionNotFound: failures.plan_version_not_found,
		add: addPlan,
		listUnknown: (tx, { bundle, features: used, limits, overage }) =>
			listUnknownCodes(tx, {
				bundle,
				features: used,
				limits: Object.keys(limits),
				overage: Object.keys(overage),
			}),
		addVersion: (tx, code, { price_minor, trial_days, grace_days, ...same }) =>
			addPlanVersion(tx, code, {
				...same,
				priceMinor: BigInt(price_minor),
				trialDays: trial_days,
				graceDays: grace_days,
			}),
		listVersions: async (db, page) =>
			(await listPlanVersions(db, page)).map(
				({ version, createdAt, retiredAt, priceMinor, trialDays, graceDays, ...same }) => ({
					version,
					createdAt,
					retiredAt,
					terms: {
						...same,
						features: [...same.features],
						price_minor: Number(priceMinor),
						trial_days: trialDays,
						grace_days: graceDays,
					},
				}),
			),
	});

/** Manages add-ons, for the platform owner. */
export const addOnAdminRoutes = (parts: { db: Database; now: () => Date }): readonly Route[] =>
	versionedRoutes(parts, {
		kind: "add_on",
		url: "/api/v1/admin/add-ons",
		name: "an add-on",
		Code,
		Item: AddOn,
		Version: AddOnVersion,
		Listed: Type.Object({ ...AddOnVersion.properties, products: Type.Array(Type.String()) }),
		exists: failures.add_on_exists,
		notFound: failures.add_on_not_found,
		versionNotFound: failures.add_on_version_not_found,
		add: addAddOn,
		listUnknown: (tx, { features: used, limits }) =>
			listUnknownCodes(tx, { features: used, limits: Object.keys(limits) }),
		addVersion: (tx, code, { price_minor, ...same }) =>
			addAddOnVersion(tx, code, { ...same, priceMinor: BigInt(price_minor) }),
		listVersions: async (db, page) =>
			(await listAddOnVersions(db, page)).map(({ version, createdAt, retiredAt, priceMinor, ...same }) => ({
				version,
				createdAt,
				retiredAt,
				terms: {
					...same,
					features: [...same.features],
					price_minor: Number(priceMinor),
				},
			})),
	});
