import { Button, currentLanguage } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { saveFile } from "../../lists/save-file.ts";
import { ErrorNotice } from "../../notices/error-notice.tsx";
import { usePlatform } from "../../platform.ts";
import { useStatementTexts } from "./texts.ts";

const downloadMs = 60_000;

type Download = {
	label: string;
	address: string;
	query: Readonly<Record<string, string>>;
	fileName: string;
};

/** A button that downloads a file of a service, in the language of the page. */
export function DownloadButton({ label, address, query, fileName }: Download) {
	const { client } = usePlatform();
	const words = useStatementTexts();
	const download = useMutation({
		mutationFn: () =>
			client.call<Blob>(address, {
				...{ query, outlet: "none", isFile: true, timeoutMilliseconds: downloadMs },
				headers: { "accept-language": currentLanguage() },
			}),
		onSuccess: (file) => saveFile(file, fileName),
	});
	return (
		<div>
			<Button busyText={download.isPending ? words.downloading : undefined} onClick={() => download.mutate()}>
				{label}
			</Button>
			<ErrorNotice error={download.error} messages={words.downloadErrors} />
		</div>
	);
}
