// SPDX-License-Identifier: MIT
// To whom a broadcast goes that is no draft any more, and from whom it comes.
import { nameUse } from '../../api/choices';
import { FactCard } from '../../parts/mail-page';
import { w } from '../../words';
import type { Broadcast } from './query';

export function Facts({ broadcast: { from, reply_to, preview_text, audiences, segments, exclude_segments, topic_id } }: { broadcast: Broadcast }) {
	const audienceName = nameUse('audiences');
	const segmentName = nameUse('segments');
	const topicName = nameUse('topics');
	return (
		<FactCard
			lines={[
				[w.broadcasts.audiences, audiences.map(audienceName).join(', ')],
				[w.broadcasts.segments, segments.map(segmentName).join(', ')],
				[w.broadcasts.excluded, exclude_segments.map(segmentName).join(', ')],
				[w.broadcasts.topic, topic_id && topicName(topic_id)],
				[w.broadcasts.from, from],
				[w.broadcasts.replyTo, reply_to.join(', ')],
				[w.broadcasts.previewText, preview_text],
			]}
		/>
	);
}
