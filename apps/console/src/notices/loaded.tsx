import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTexts } from "../texts/texts.ts";
import { Fault } from "./fault.tsx";

type Loaded<T> = { query: UseQueryResult<T>; children: (data: T) => ReactNode };

/** What a query answered; before that, that it is under way, or why it failed and again. */
export function Loaded<T>({ query, children }: Loaded<T>) {
	const { loading } = useTexts();
	if (query.data !== undefined) return children(query.data);
	if (query.error !== null) return <Fault error={query.error} onAgain={query.refetch} />;
	return (
		<p role="status" className="text-quiet">
			{loading}
		</p>
	);
}
