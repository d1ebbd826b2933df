import { products } from "@lango/contracts";
import type { Price, Terms } from "../rules/terms/terms.ts";

export type Bundle = { code: string; name: string; products: readonly string[] };
export type Feature = { code: string; kind: "boolean" | "limit" | "metered"; description: string };
export type PlanDefinition = Price &
	Omit<Terms, "products"> & {
		code: string;
		name: string;
		position: number;
		/** To change what is offered, increase it: a published version never changes. */
		version: number;
		bundle: string;
		trialDays: number;
		graceDays: number;
	};
export type AddOnDefinition = Price & Terms & { code: string; name: string; version: number };

export const bundles: readonly Bundle[] = [
	{ code: "starter", name: "Starter", products: ["ordering", "auth"] },
	{
		code: "professional",
		name: "Professional",
		products: ["ordering", "logistics", "treasury", "notifications", "auth"],
	},
	// Listed instead of "*", so that a release that adds a product changes the bundle, which notifies every
	// tenant on it.
	{ code: "enterprise", name: "Enterprise", products },
];

export const features: readonly Feature[] = [
	{ code: "customer_portal", kind: "boolean", description: "Customers sign in and see their orders" },
	{
		code: "loyalty_program",
		kind: "boolean",
		description: "Points and rewards for customers who come again",
	},
	{ code: "multi_outlet", kind: "boolean", description: "More than one outlet" },
	{ code: "api_webhooks", kind: "boolean", description: "Events sent to the tenant's own systems" },
	{ code: "route_optimization", kind: "boolean", description: "The best order of deliveries" },
	{ code: "whatsapp", kind: "boolean", description: "Messages by WhatsApp" },
	{ code: "max_admins", kind: "limit", description: "People with the role admin" },
	{ code: "max_orders_per_day", kind: "limit", description: "Orders in one day of the tenant's time zone" },
	{ code: "max_emails_per_day", kind: "limit", description: "E-mails in one day of the tenant's time zone" },
	{ code: "max_riders", kind: "limit", description: "Riders" },
];

const monthlyInKes = { currency: "KES", interval: "month" } as const;
const standard = { version: 1, ...monthlyInKes, trialDays: 14, graceDays: 7 } as const;

const starterFeatures = ["customer_portal"];
/**
 * Only features that a route or an operation requires are sold. Version 1 also had loyalty_program,
 * api_webhooks and route_optimization, which nothing requires yet. Tenants on version 1 keep them.
 */
const growthFeatures = [...starterFeatures, "multi_outlet"];

export const plans: readonly PlanDefinition[] = [
	{
		...standard,
		code: "STARTER",
		name: "Starter",
		position: 10,
		bundle: "starter",
		priceMinor: 150_000n,
		features: starterFeatures,
		limits: { max_admins: 1, max_orders_per_day: 100, max_emails_per_day: 200, max_riders: 0 },
	},
	{
		...standard,
		version: 2,
		code: "GROWTH",
		name: "Growth",
		position: 20,
		bundle: "professional",
		priceMinor: 450_000n,
		features: growthFeatures,
		limits: { max_admins: 3, max_orders_per_day: 1_000, max_emails_per_day: 2_000, max_riders: 15 },
	},
	{
		...standard,
		version: 2,
		code: "PROFESSIONAL",
		name: "Professional",
		position: 30,
		bundle: "enterprise",
		priceMinor: 1_200_000n,
		features: growthFeatures,
		limits: { max_admins: 10, max_orders_per_day: 10_000, max_emails_per_day: 20_000, max_riders: 100 },
	},
];

export const addOns: readonly AddOnDefinition[] = [
	{
		...monthlyInKes,
		code: "pos",
		name: "Point of sale",
		version: 1,
		priceMinor: 100_000n,
		products: ["pos"],
		features: [],
		limits: {},
	},
	{
		...monthlyInKes,
		code: "whatsapp",
		name: "WhatsApp",
		version: 1,
		priceMinor: 50_000n,
		products: [],
		features: ["whatsapp"],
		limits: {},
	},
];
