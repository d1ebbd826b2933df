/** The measured service: one noun and one route on the chassis. Its settings come from the environment. */
import { defineDomainService, everyone, permit, route, startService, tenantWide } from "@lango/chassis";
import { inProcessTransport } from "@lango/events";
import { Thing, thing } from "./things.ts";

export const stock = defineDomainService({
	name: "stock",
	title: "Stock",
	base: "/api/v1/:tenant/stock",
	port: 4_600,
	permissions: {
		things: ["add", "view", "change", "delete", "manage"],
		shelves: ["add", "view", "change", "delete", "manage"],
		counts: ["add", "view", "change", "manage"],
	},
	reserved: Object.fromEntries(
		[
			...["add", "change", "delete", "manage"].map((action) => `stock.things.${action}`),
			...["add", "view", "change", "delete", "manage"].map((action) => `stock.shelves.${action}`),
			...["add", "view", "change", "manage"].map((action) => `stock.counts.${action}`),
		].map((code) => [code, "a realistic set"]),
	),
	roles: { stock_admin: ["stock.*"], stock_viewer: ["stock.*.view"] },
	firstRole: [
		[["admin"], "stock_admin"],
		[everyone, "stock_viewer"],
	],
	routes: [
		() => [
			route({
				method: "GET",
				url: "/things/:id",
				access: permit("stock.things.view"),
				outlets: tenantWide("the thing is a constant, without an outlet"),
				schema: { response: { 200: Thing } },
				handler: async () => thing,
			}),
		],
	],
});

if (process.argv[1] === import.meta.filename) {
	const running = await startService(stock, { environment: process.env, transport: inProcessTransport() });
	process.once("SIGTERM", () => void running.close().then(() => process.exit(0)));
}
