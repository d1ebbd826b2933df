import { Button, Notice } from "@lango/interface";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { ErrorNotice } from "../../notices/error-notice.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../access/access.queries.ts";
import { askBalance, type BalanceQuestion, balanceQuestionQuery, isAwaited } from "./balance.queries.ts";
import { usePayingTexts } from "./texts.ts";

/** A button that asks the mobile-money gateway for the balance of the tenant's shortcode. */
export function AskBalance({ scope }: { scope: ServiceScope }) {
	const platform = usePlatform();
	const words = usePayingTexts().balance;
	const ask = useMutation({ mutationFn: () => askBalance(platform, scope) });
	return (
		<div className="mt-4 grid justify-items-start gap-3">
			<Button busyText={ask.isPending ? words.asking : undefined} onClick={() => ask.mutate()}>
				{words.ask}
			</Button>
			<ErrorNotice error={ask.error} messages={words.errors} />
			{ask.data !== undefined && <Answer key={ask.data.id} asked={ask.data} scope={scope} />}
		</div>
	);
}

function Answer({ asked, scope }: { asked: BalanceQuestion; scope: ServiceScope }) {
	const words = usePayingTexts().balance;
	const queries = useQueryClient();
	const { data, error, refetch } = useQuery(balanceQuestionQuery(usePlatform(), scope, asked));
	const { slug } = scope;
	useEffect(() => {
		// The answer changes the balances, the statement, and whether the shortcode is verified.
		if (data.status === "answered")
			queries.invalidateQueries({ queryKey: ["treasury", slug] }).catch(reportError);
	}, [data.status, queries, slug]);
	if (isAwaited(data) && error !== null) return <ErrorNotice error={error} onRetry={refetch} />;
	if (isAwaited(data)) return <p role="status">{words.awaiting}</p>;
	if (data.status === "answered") return <Notice kind="done">{words.answered}</Notice>;
	const { failed, unknown } = words;
	return (
		<Notice kind="warning">{data.status === "failed" ? failed(data.failure_code ?? "–") : unknown}</Notice>
	);
}
