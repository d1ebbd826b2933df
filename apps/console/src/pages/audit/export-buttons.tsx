import { Button, Notice } from "@lango/interface";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { saveFile } from "../../lists/save-file.ts";
import { ErrorNotice } from "../../notices/error-notice.tsx";
import { usePlatform } from "../../platform.ts";
import { peopleIn, toRow } from "./audit-row.ts";
import { type ExportFormat, formats, toFile } from "./export-file.ts";
import { namesOfQuery } from "./names.queries.ts";
import { readAll, type Source, SourcesMissing, type TimelineQuery } from "./sources.ts";
import { useAuditPageTexts } from "./texts.ts";
import { useNameSource } from "./use-names.ts";
import { foldVisits } from "./visits.ts";

/** The maximum number of entries in a file. */
const exportedMax = 10_000;

type ExportButtons = { slug: string; sources: readonly Source[]; query: TimelineQuery };

/** Buttons that save the filtered entries as a file. */
export function ExportButtons({ slug, sources, query }: ExportButtons) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const words = useAuditPageTexts();
	const nameSource = useNameSource();
	const saving = useMutation({
		mutationFn: async (format: ExportFormat) => {
			const { items, isCut } = await readAll(platform, sources, { query, itemsMax: exportedMax });
			const folded = foldVisits(items);
			const people = folded.flatMap(peopleIn);
			const names =
				people.length === 0 ? new Map() : await queries.fetchQuery(namesOfQuery(platform, slug, people));
			const rows = folded.map((entry) => toRow(entry, names));
			saveFile(toFile(rows, format), `${slug}-audit.${format}`);
			return { isCut };
		},
	});
	const { error } = saving;
	return (
		<div className="mt-6 grid gap-3">
			<div className="flex flex-wrap gap-3">
				{formats.map((format) => (
					<Button
						key={format}
						busyText={saving.isPending && saving.variables === format ? words.exporting : undefined}
						onClick={() => saving.mutate(format)}
					>
						{words.exports[format]}
					</Button>
				))}
			</div>
			{saving.data?.isCut && <Notice kind="warning">{words.isCut(exportedMax)}</Notice>}
			{error instanceof SourcesMissing ? (
				<Notice kind="error">{words.notExported(error.names.map(nameSource).join(", "))}</Notice>
			) : (
				<ErrorNotice error={error} />
			)}
		</div>
	);
}
