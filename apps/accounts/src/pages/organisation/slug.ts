/** A short name made from a name, for example "Kahawa Café" → "kahawa-cafe"; empty when nothing of it can be in one. */
export function suggestSlug(name: string): string {
	const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
	const slug = plain.replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-+|-+$/g, "");
	return slug.slice(0, 63).replace(/-+$/, "");
}
