import { useParams } from "@tanstack/react-router";

/** The slug in the address. */
export function useSlug(): string {
	const { slug = "" } = useParams({ strict: false });
	return slug;
}
