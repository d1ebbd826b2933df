import { useParams } from "@tanstack/react-router";

/** The slug in the address: below it all pages of a tenant stand, and the platform's below its owner's. */
export function useSlug(): string {
	const { slug = "" } = useParams({ strict: false });
	return slug;
}
