import { Name, Page, Shape, Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";

/** An item that a tenant sells. */
export type Item = {
	id: string;
	category: string;
	name: string;
	description: string;
	/** In the currency's lowest units. */
	priceMinor: bigint;
	currency: string;
	isAvailable: boolean;
};

/** The maximum price of one unit: the total of the largest possible order is still exact as a JSON number. */
const priceMinorMax = 1_000_000_000_000;

const fields = {
	category: Name(60),
	name: Name(120),
	description: Type.String({ maxLength: 1_000 }),
	price_minor: Type.Integer({
		minimum: 0,
		maximum: priceMinorMax,
		description: "In the lowest units of the tenant's currency",
	}),
	is_available: Type.Boolean({ description: "False: not on the menu and not on sale" }),
};

export const NewItem = Shape({
	...fields,
	description: Type.Optional(fields.description),
	is_available: Type.Optional(fields.is_available),
});
export const ItemChange = Type.Partial(Shape(fields), { additionalProperties: false, minProperties: 1 });
export type ItemChange = Static<typeof ItemChange>;

const Currency = Type.String({ description: "ISO 4217" });

/** An item in the catalogue, for staff. */
export const CatalogItem = Type.Object({ id: Uuid, ...fields, currency: Currency });
/** An item on the public menu. */
const { is_available: _, ...shown } = fields;
const MenuItem = Type.Object({ id: Uuid, ...shown, currency: Currency });

export const ItemPage = Page(CatalogItem);
export const MenuPage = Page(MenuItem);

/** Returns the item in the format of the catalogue. */
export const toCatalogWire = (item: Item) => ({ ...toMenuWire(item), is_available: item.isAvailable });

/** Returns the item in the format of the menu. */
export const toMenuWire = ({ id, category, name, description, priceMinor, currency }: Item) => ({
	id,
	category,
	name,
	description,
	price_minor: Number(priceMinor),
	currency,
});
