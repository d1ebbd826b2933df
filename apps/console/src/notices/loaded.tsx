import { explainError } from "@lango/client";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTexts } from "../texts/texts.ts";
import { ErrorNotice } from "./error-notice.tsx";

type Loaded<T> = {
	query: UseQueryResult<T>;
	/** Whether the page is about it: one that is refused to the person shows the unauthorized or the pending page instead (§7). */
	isMain?: boolean;
	children: (data: T) => ReactNode;
};

/** What a query answered; before that, that it is under way, or why it failed and again. */
export function Loaded<T>({ query, isMain = false, children }: Loaded<T>) {
	const { loading } = useTexts();
	if (query.data !== undefined) return children(query.data);
	if (query.error !== null) {
		// Caught by the route of the page: session/refused-page.tsx.
		if (isMain && isRefusal(query.error)) throw query.error;
		return <ErrorNotice error={query.error} onRetry={query.refetch} />;
	}
	return (
		<p role="status" className="text-quiet">
			{loading}
		</p>
	);
}

function isRefusal(error: unknown): boolean {
	const kind = explainError(error);
	return kind === "unauthorized" || kind === "pending";
}
