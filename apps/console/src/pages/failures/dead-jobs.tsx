import type { Column } from "@lango/interface";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { Section } from "../../layout/section.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { showToast } from "../../notices/toast.ts";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { type DeadJob, failuresAddress, failuresKey, redrive, type Service } from "./failure.queries.ts";
import { RedriveAll } from "./redrive-all.tsx";
import { useFailureTexts } from "./texts.ts";

/** Jobs of a service that failed after all attempts, oldest first. */
export function DeadJobs({ service }: { service: Service }) {
	const words = useFailureTexts();
	const list = usePagedList<DeadJob>({
		key: [...failuresKey(service.name), "jobs"],
		address: failuresAddress(service, "dead-jobs"),
		hasTotal: false,
		name: "jobs",
		pageSize: 10,
	});
	const columns = useColumns(service);
	const isMany = (list.query.data?.items.length ?? 0) > 1 || list.pages.number > 1;
	return (
		<Section
			title={words.jobs}
			lead={words.jobsLead}
			actions={isMany && <RedriveAll service={service} kind="dead-jobs" />}
		>
			<PagedList
				list={list}
				caption={words.jobs}
				columns={columns}
				keyOf={({ id }) => id}
				empty={words.noJobs}
			/>
		</Section>
	);
}

function useColumns(service: Service): Column<DeadJob>[] {
	const words = useFailureTexts();
	const format = useFormat();
	return [
		{
			head: words.job,
			cell: ({ job, about }) => (
				<>
					<span className="font-mono text-base">{job}</span>
					{about !== null && (
						<span className="block font-mono text-base font-normal text-quiet">{about}</span>
					)}
				</>
			),
		},
		{
			head: words.why,
			cell: ({ reason, tries }) => (
				<>
					{reason}
					<span className="block text-quiet">{words.tried(tries)}</span>
				</>
			),
		},
		{ head: words.since, cell: ({ died_at }) => format.time(died_at) },
		{
			head: words.actions,
			isHeadHidden: true,
			isNumber: true,
			cell: (job) => <Redrive service={service} job={job} />,
		},
	];
}

function Redrive({ service, job: { id, job } }: { service: Service; job: DeadJob }) {
	const platform = usePlatform();
	const words = useFailureTexts();
	return (
		<ConfirmButton
			texts={{ ...words.redrive, ...words.redriveJob, done: undefined }}
			name={job}
			className="w-full rows:w-auto"
			action={async () => {
				const { redriven } = await redrive(platform, { service, kind: "dead-jobs", id });
				showToast("done", redriven ? words.jobRedriven : words.jobLaidAside);
			}}
			invalidates={failuresKey(service.name)}
			messages={words.errors}
		/>
	);
}
