/** Suggests a slug for a name, for example "Kahawa Café" → "kahawa-cafe", or an empty text. */
export function suggestSlug(name: string): string {
	const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
	const slug = plain.replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-+|-+$/g, "");
	return slug.slice(0, 63).replace(/-+$/, "");
}
