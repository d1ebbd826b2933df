import { Uuid } from "@lango/contracts";
import Type from "typebox";
import type { InboxItem } from "./inbox.store.ts";

const DateTime = Type.Union([Type.String({ format: "date-time" }), Type.Null()]);
/** An item of an inbox. */
export const ItemWire = Type.Object({
	id: Uuid,
	title: Type.String(),
	body: Type.String(),
	link: Type.Union([Type.String(), Type.Null()]),
	category: Type.String(),
	template: Type.String(),
	created_at: Type.String({ format: "date-time" }),
	seen_at: DateTime,
	read_at: DateTime,
	archived_at: DateTime,
});
/** An item as its person sees it. */
export const toItemWire = (item: Omit<InboxItem, "place">) => ({
	...{ id: item.id, title: item.title, body: item.body, link: item.link ?? null },
	...{ category: item.category, template: item.template, created_at: item.createdAt.toISOString() },
	seen_at: item.seenAt?.toISOString() ?? null,
	read_at: item.readAt?.toISOString() ?? null,
	archived_at: item.archivedAt?.toISOString() ?? null,
});
