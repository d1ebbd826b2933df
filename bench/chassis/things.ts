import Type from "typebox";

/** The response of every server: one thing of one tenant. */
export const thing = {
	id: "0191d5a0-2f6e-7c3a-9b41-5a1e6f0c7d21",
	name: "Kifaru wheelbarrow, 90 litres",
	sku: "WB-090-GRN",
	price_minor: 745_000,
	currency: "KES",
	in_stock: 17,
	tags: ["garden", "steel", "heavy"],
	updated_at: "2026-03-14T09:26:53.589Z",
};

export const Thing = Type.Object({
	id: Type.String({ format: "uuid" }),
	name: Type.String(),
	sku: Type.String(),
	price_minor: Type.Integer(),
	currency: Type.String(),
	in_stock: Type.Integer(),
	tags: Type.Array(Type.String()),
	updated_at: Type.String({ format: "date-time" }),
});

/** The route that each server declares. */
export const thingRoute = "/api/v1/:tenant/stock/things/:id";

/** The path of the route in a tenant. */
export const thingPath = (tenantSlug: string) => `/api/v1/${tenantSlug}/stock/things/${thing.id}`;
